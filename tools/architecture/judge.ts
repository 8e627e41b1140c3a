import path from 'node:path';
import { judgeFunctionFile, judgeMigration, withoutSqlComments } from './judge-sql.ts';
import type { Import, Source } from './read-sources.ts';
import {
  contractLibraries,
  entries,
  environmentReaders,
  hardLineLimit,
  namesThatSayNothing,
  privateFile,
  publicEntries,
  roomOrder,
  servers,
  sqlFiles,
  type Server,
  wiring,
  workspaces,
} from './rules.ts';
import type { Violation } from './violation.ts';

/** Everything in the sources that breaks a rule. */
export function judge(sources: readonly Source[]): Violation[] {
  return [
    ...sources.flatMap((source) => [
      ...judgeName(source),
      ...judgeSize(source),
      ...judgeText(source),
      ...judgeFunctionFile(source),
      ...judgeMigration(source),
      ...source.imports.flatMap((one) => judgeImport(source, one)),
    ]),
    ...judgeFileCircles(sources),
  ];
}

export function lineCount(source: Source): number {
  return source.text.split('\n').length - 1;
}

function judgeName({ path: file }: Source): Violation[] {
  const violations: Violation[] = [];
  for (const part of file.split('/')) {
    const stem = part.replace(/\..*$/, '');
    if (namesThatSayNothing.includes(stem)) {
      violations.push({ path: file, message: `"${stem}" says nothing: name it after what it holds.` });
    }
    // A function's file has the function's name.
    if (/\/sql\/functions\/[a-z0-9_]+\.sql$/.test(file)) continue;
    const good = part.endsWith('.tsx') ? /^[A-Za-z0-9.-]+$/ : /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;
    if (!good.test(part)) violations.push({ path: file, message: `"${part}" is not in kebab-case.` });
  }
  return violations;
}

function judgeSize(source: Source): Violation[] {
  const lines = lineCount(source);
  if (lines <= hardLineLimit || source.path.endsWith('.sql')) return [];
  return [
    { path: source.path, message: `${lines} lines: a file has ${hardLineLimit} at most. Split it by noun.` },
  ];
}

const sqlText = [
  /\bsql(?:<[^`;]*>)?`/,
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/,
  /`\s*(?:with\s+\w+\s+as\s*\(|select\s[^`]*\sfrom\s)/i,
  /[`'"]\s*(?:insert\s+into|delete\s+from|update\s+\w+\s+set)\s/i,
];
const hostClock = /(?<![.\w])now\(\)|\bcurrent_timestamp\b/i;

function judgeText({ path: file, text }: Source): Violation[] {
  const violations: Violation[] = [];
  const test = isTest(file);
  const readsEnvironment = entries.test(file) ? /\bprocess\.env\b(?!\))/ : /\bprocess\.env\b/;
  if (readsEnvironment.test(text) && !test && !environmentReaders.some((shape) => shape.test(file))) {
    violations.push({ path: file, message: 'Only config.ts reads the environment.' });
  }
  if (/^export default\b/m.test(text)) violations.push({ path: file, message: 'Exports have names here.' });
  if (/^export \*/m.test(text))
    violations.push({ path: file, message: 'No barrels: import from where it is written.' });
  if (file.endsWith('.sql') && hostClock.test(withoutSqlComments(text))) {
    violations.push({ path: file, message: 'SQL asks clock(), which a test can move; never now().' });
  }
  if (file.endsWith('.sql') || test) return violations;
  const mayHoldSql = sqlFiles.some((shape) => shape.test(file));
  if (!mayHoldSql && sqlText.some((shape) => shape.test(text))) {
    violations.push({ path: file, message: 'SQL lives in store.ts alone.' });
  }
  if (/[-/]store\.ts$/.test(file) && hostClock.test(text.replaceAll(/\/\/.*$|^\s*\*.*$/gm, ''))) {
    violations.push({ path: file, message: 'SQL asks clock(), which a test can move; never now().' });
  }
  return violations;
}

function judgeImport(source: Source, { specifier }: Import): Violation[] {
  const from = placeOf(source.path);
  const rules = workspaces[from.workspace];
  const say = (message: string) => [{ path: source.path, message: `imports ${specifier}: ${message}` }];
  if (rules === undefined)
    return say(`the workspace ${from.workspace} has no rules in tools/architecture/rules.ts.`);
  if (specifier.startsWith('@renderkit/')) return judgePackage(source.path, specifier, say);
  if (!specifier.startsWith('.')) {
    if (from.workspace !== 'contract' || isTest(source.path)) return [];
    return contractLibraries.includes(specifier)
      ? []
      : say('the contract stands on the schema library alone.');
  }
  const target = placeOf(resolveFrom(source.path, specifier));
  if (target.workspace !== from.workspace) return say('another workspace is imported by its name.');
  return isServer(from.workspace) && !isTest(source.path) ? judgeInsideServer(from, target, say) : [];
}

function judgePackage(file: string, specifier: string, say: (message: string) => Violation[]): Violation[] {
  const importer = workspaceOf(file);
  const rules = workspaces[importer];
  const [, owner = '', ...rest] = specifier.split('/');
  if (owner === rules?.name)
    return isTest(file) ? [] : say('a workspace imports its own files by their paths.');
  const allowed = [...(rules?.mayImport ?? []), ...((isTest(file) && rules?.testsMayImport) || [])];
  const name = specifier.slice('@renderkit/'.length);
  if (!allowed.some((prefix) => name.startsWith(prefix))) return say(`${importer} may not.`);
  if (!isServer(owner) || importer === 'bench' || isTest(file)) return [];
  return publicEntries[owner].includes(rest.join('/'))
    ? []
    : say('it is no public entry (tools/architecture/rules.ts).');
}

type Place = { workspace: string; room: string | undefined; file: string };

function judgeInsideServer(from: Place, target: Place, say: (message: string) => Violation[]): Violation[] {
  if (target.room === undefined && wiring.includes(target.file)) {
    if (from.room !== undefined) return say('rooms know nothing of the wiring.');
    const own = wiring.indexOf(from.file);
    if (own > wiring.indexOf(target.file)) return say('main → app → routes is the only direction.');
  }
  if (target.room === undefined || from.room === target.room) return [];
  if (from.room === undefined) return [];
  if (privateFile.test(target.file)) return say(`${target.file} belongs to its room: call one of its verbs.`);
  const order = roomOrder[from.workspace as Server];
  const [own, other] = [order.indexOf(from.room), order.indexOf(target.room)];
  if (own < 0 || other < 0)
    return say('one of the two rooms has no place in roomOrder (tools/architecture/rules.ts).');
  if (other < own) return [];
  return say(`${from.room} does not build on ${target.room} (roomOrder in tools/architecture/rules.ts).`);
}

function judgeFileCircles(sources: readonly Source[]): Violation[] {
  const edges = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const { specifier, typeOnly } of source.imports) {
      if (!typeOnly && specifier.startsWith('.'))
        addEdge(edges, source.path, resolveFrom(source.path, specifier));
    }
  }
  return circlesIn(edges).map((circle) => ({
    path: circle[0] ?? '',
    message: `files in a circle: ${circle.join(' → ')}.`,
  }));
}

function addEdge(edges: Map<string, Set<string>>, from: string, to: string): void {
  const known = edges.get(from);
  if (known === undefined) edges.set(from, new Set([to]));
  else known.add(to);
}

/** One circle for each place where the walk meets its own path again. */
function circlesIn(edges: Map<string, Set<string>>): string[][] {
  const done = new Set<string>();
  const circles: string[][] = [];
  const walk = (node: string, trail: string[]): void => {
    const met = trail.indexOf(node);
    if (met >= 0) circles.push([...trail.slice(met), node]);
    if (met >= 0 || done.has(node)) return;
    for (const next of edges.get(node) ?? []) walk(next, [...trail, node]);
    done.add(node);
  };
  for (const node of edges.keys()) walk(node, []);
  return circles;
}

function placeOf(file: string): Place {
  const workspace = workspaceOf(file);
  const rest = file.slice(workspace.length + 1).split('/');
  const inSource = isServer(workspace) && rest[0] === 'src';
  return {
    workspace,
    room: inSource && rest.length > 2 ? rest[1] : undefined,
    file: inSource && rest.length <= 2 ? (rest[1] ?? '') : (rest.at(-1) ?? ''),
  };
}

/** The workspace that a file belongs to; its first folder where it belongs to none. */
function workspaceOf(file: string): string {
  return Object.keys(workspaces).find((folder) => file.startsWith(`${folder}/`)) ?? file.split('/')[0] ?? '';
}

function isServer(workspace: string): workspace is Server {
  return (servers as readonly string[]).includes(workspace);
}

/** Tests and what only tests use. */
function isTest(file: string): boolean {
  return /\.test\.ts$|\/test(?:ing)?\//.test(file);
}

function resolveFrom(file: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(file), specifier);
}
