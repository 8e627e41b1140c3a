// Finds references in comments and documents to things that do not exist in the tree: files, sections of docs/api.md,
// invariants of docs/reliability.md, decisions, headings.

import path from 'node:path';

export type Text = { path: string; text: string };

/** Documents that were never part of the tree. Their content is in `docs/`. */
const notInTheTree = [
  { shape: /\b(?:specification|spec)\s+§[\d.]+/gi, instead: 'docs/api.md §' },
  { shape: /\breliability\s+[A-Z]\d+/gi, instead: 'docs/reliability.md' },
];

/** Returns every dead reference as `file:line: mention`. `paths` are all files of the tree. */
export function findDeadReferences(texts: readonly Text[], paths: readonly string[]): string[] {
  const tree = describeTree(texts, paths);
  return texts.flatMap((text) =>
    [...deadMentions(text, tree)].map(({ index, mention }) => {
      const line = text.text.slice(0, index).split('\n').length;
      return `${text.path}:${line}: ${mention.replaceAll(/\s*\n[\s*/-]*/g, ' ')}`;
    }),
  );
}

type Tree = {
  /** Files and folders. */
  paths: Set<string>;
  /** Top-level folders: a path in a comment begins with one of them. */
  folders: Set<string>;
  sections: Set<string>;
  invariants: Set<string>;
  decisions: Set<string>;
  /** Anchors of headings, by document. */
  anchors: Map<string, Set<string>>;
};

type Mention = { index: number; mention: string };

function describeTree(texts: readonly Text[], paths: readonly string[]): Tree {
  const all = new Set(paths);
  for (const file of paths)
    for (let folder = path.posix.dirname(file); folder !== '.'; folder = path.posix.dirname(folder))
      all.add(folder);
  const documents = texts.filter((text) => text.path.endsWith('.md'));
  const textOf = (name: string) => documents.find((document) => document.path === name)?.text ?? '';
  const numbers = (text: string, shape: RegExp) =>
    new Set([...text.matchAll(shape)].map(([, found = '']) => found));
  return {
    paths: all,
    folders: new Set(paths.filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? '')),
    sections: numbers(textOf('docs/api.md'), /^## (\d+)\. /gm),
    invariants: numbers(textOf('docs/reliability.md'), /^\| (I\d+) \|/gm),
    decisions: numbers(paths.join('\n'), /^docs\/decisions\/(\d{4})-/gm),
    anchors: new Map(documents.map(({ path: name, text }) => [name, anchorsOf(text)])),
  };
}

/** Returns the anchors that GitHub makes from headings. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
    const anchor = plain
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    for (let n = 0, name = anchor; ; name = `${anchor}-${++n}`)
      if (!anchors.has(name)) {
        anchors.add(name);
        break;
      }
  }
  return anchors;
}

function* deadMentions(source: Text, tree: Tree): Generator<Mention> {
  // A comment may have a line break inside a mention. The replacement keeps the number of characters, so that positions
  // stay valid.
  const text = commentsOf(source).replaceAll(/\n[ \t]*(?:\*|\/\/|--)?[ \t]*/g, (gap) =>
    gap.replaceAll(/[^\n]/g, ' '),
  );
  for (const { shape, instead } of notInTheTree)
    for (const { index, 0: mention } of text.matchAll(shape))
      yield { index, mention: `${mention} (say ${instead})` };
  for (const { index, 0: mention } of text.matchAll(/\bapi\.md(?:,?\s+(?:and\s+)?§\d+)+/g))
    for (const [, section = ''] of mention.matchAll(/§(\d+)/g))
      if (!tree.sections.has(section)) yield { index, mention };
  for (const { index, 0: mention, 1: number = '' } of text.matchAll(/\bdecisions?\s+(\d{4})\b/gi))
    if (!tree.decisions.has(number)) yield { index, mention };
  for (const { index, 0: mention, 1: number = '' } of text.matchAll(/\breliability\.md,?\s+([A-Z]\d+)/g))
    if (!tree.invariants.has(number)) yield { index, mention };
  yield* deadPaths(source, text, tree);
  if (source.path.endsWith('.md')) yield* deadLinks(source, tree);
}

/** Returns a document unchanged. In a source, all characters outside comments become blanks. */
function commentsOf({ path: file, text }: Text): string {
  if (file.endsWith('.md')) return text;
  const blank = (part: string) => ' '.repeat(part.length);
  return text
    .split('\n')
    .map((line) => {
      if (/^\s*(?:\/\/|\/\*|\*|--)/.test(line)) return line;
      const start = line.search(/\s(?:\/\/|\/\*|--)\s/);
      return start < 0 ? blank(line) : blank(line.slice(0, start)) + line.slice(start);
    })
    .join('\n');
}

/**
 * Yields dead paths. A path starts at the root and has an extension or a slash at the end. Paths with a placeholder in
 * capitals are skipped.
 */
function* deadPaths(source: Text, text: string, tree: Tree): Generator<Mention> {
  for (const { index, 0: mention } of text.matchAll(
    /(?<![\w@./:$}{*-])[\w.-]+\/(?:[\w.-]+\/)*(?:[\w-][\w.-]*\.(?:md|mts|mjs|ts|tsx|sql|json|css))?(?![\w/*{<-])/g,
  )) {
    const [first = ''] = mention.split('/');
    if (!tree.folders.has(first) || /(^|\/)[A-Z]{2,}(\/|$)/.test(mention.replace(/\.\w+$/, ''))) continue;
    if (!/\.\w+$/.test(mention) && !mention.endsWith('/')) continue;
    const named = mention.replace(/[/.]+$/, '');
    const beside = path.posix.join(path.posix.dirname(source.path), named);
    if (!tree.paths.has(named) && !tree.paths.has(beside) && !isWritten(named)) yield { index, mention };
  }
}

/** Returns true for files that builds and runs write, and that git does not contain. */
function isWritten(file: string): boolean {
  return /(^|\/)(node_modules|dist|data|\.cache)(\/|$)/.test(file);
}

function* deadLinks(source: Text, tree: Tree): Generator<Mention> {
  for (const { index, 0: mention, 1: target = '' } of source.text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^(?:https?:|mailto:)/.test(target)) continue;
    const [file = '', anchor] = target.split('#');
    const document = file === '' ? source.path : path.posix.join(path.posix.dirname(source.path), file);
    const there = file === '' || tree.paths.has(document.replace(/\/$/, ''));
    if (!there || (anchor !== undefined && tree.anchors.get(document)?.has(anchor) === false))
      yield { index, mention };
  }
}
