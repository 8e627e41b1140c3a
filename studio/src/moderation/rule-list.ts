import { readFile, stat, writeFile } from 'node:fs/promises';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import type { Moderation } from './moderation.ts';

export type RuleList = {
  /** Each rule refuses a text that holds one of its phrases as whole words, however they are spelt. */
  rules: TextRule[];
  /** The same for uploads, by their file names and their bytes. */
  uploads: {
    rules: FileRule[];
    /** Files whose check is put off, to see how clients wait. */
    slow: { phrases: string[]; seconds: number }[];
  };
};

type TextRule = { reason: string; phrases: string[] };
type FileRule = TextRule & {
  /** SHA-256 of files, in hex. */
  sha256: string[];
};

const defaults: RuleList = {
  rules: [
    {
      reason: 'sexual content involving minors',
      phrases: ['child porn', 'child pornography', 'csam', 'loli', 'shotacon', 'nude child', 'naked child'],
    },
    { reason: 'sexual violence', phrases: ['rape', 'rapist', 'raping'] },
    {
      reason: 'instructions for harm',
      phrases: ['how to make a bomb', 'build a bomb', 'bomb recipe', 'suicide method'],
    },
    { reason: 'extreme gore', phrases: ['beheading', 'decapitated body', 'dismembered body', 'snuff film'] },
  ],
  uploads: {
    rules: [
      { reason: 'a file to try rejection with', phrases: ['sandbox-rejected'], sha256: [] },
      { reason: 'sexual content involving minors', phrases: ['child porn', 'csam'], sha256: [] },
    ],
    slow: [{ phrases: ['sandbox-slow'], seconds: 20 }],
  },
};

type CompiledRule = { reason: string; matches: (readings: string[]) => boolean };

type Compiled = {
  rules: CompiledRule[];
  uploadRules: (CompiledRule & { sha256: Set<string> })[];
  slow: { seconds: number; matches: (readings: string[]) => boolean }[];
};

// How long a change of the file may go unseen.
const lookEveryMs = 1_000;

/**
 * Judges by the phrases of a JSON file that the operator may edit while the studio runs. Made with sensible
 * rules where there is none; a file that cannot be read keeps the rules that were in force, and says so.
 */
export async function openRuleList(options: { path: string; log: Logger }): Promise<Moderation> {
  await writeFile(options.path, `${JSON.stringify(defaults, null, 2)}\n`, { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  let rules = compile(defaults);
  let version = '';
  let lookedAt = Number.NEGATIVE_INFINITY;
  const refresh = async () => {
    lookedAt = performance.now();
    try {
      const { mtimeMs, size, ino } = await stat(options.path);
      const found = `${mtimeMs} ${size} ${ino}`;
      if (found === version) return;
      rules = compile(parseRules(await readFile(options.path, 'utf8')));
      version = found;
    } catch (error) {
      options.log.error(
        { err: error, path: options.path },
        'the moderation rules cannot be read: those read before stay in force',
      );
    }
  };
  await refresh();
  const current = async () => {
    if (performance.now() - lookedAt > lookEveryMs) await refresh();
    return rules;
  };
  return {
    judgeText: async (text) => {
      const readings = readingsOf(text);
      return (await current()).rules.find(({ matches }) => matches(readings));
    },
    judgeUpload: async ({ fileName, sha256 }) => {
      const readings = readingsOf(fileName);
      return (await current()).uploadRules.find((rule) => rule.sha256.has(sha256) || rule.matches(readings));
    },
    uploadDelaySeconds: async (fileName) => {
      const readings = readingsOf(fileName);
      const slow = (await current()).slow.filter(({ matches }) => matches(readings));
      return Math.max(0, ...slow.map(({ seconds }) => seconds));
    },
  };
}

/** A file of before uploads were judged has no rules for them: those it would be made with hold. */
function parseRules(text: string): RuleList {
  const value = JSON.parse(text) as Partial<RuleList> | null;
  const { rules, uploads = defaults.uploads } = value ?? {};
  const valid =
    isListOf(rules, isTextRule) &&
    isListOf(uploads.rules, (rule) => isTextRule(rule) && isListOf(rule.sha256, isDigest)) &&
    isListOf(uploads.slow, ({ phrases, seconds }) => isListOf(phrases, isPhrase) && isDelay(seconds));
  if (!valid)
    throw new Error(
      'expected {"rules": [{"reason", "phrases"}], "uploads": {"rules": [{"reason", "phrases", "sha256"}], ' +
        '"slow": [{"phrases", "seconds"}]}}',
    );
  return { rules, uploads };
}

function isListOf<T>(value: T[] | undefined, isOne: (one: T) => boolean): value is T[] {
  return Array.isArray(value) && value.every((one) => one !== null && isOne(one));
}

const longestDelaySeconds = 600;
const isPhrase = (phrase: unknown) => typeof phrase === 'string' && phrase.trim() !== '';
const isDigest = (digest: unknown) => typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest);
const isDelay = (seconds: unknown) =>
  typeof seconds === 'number' && seconds >= 0 && seconds <= longestDelaySeconds;
const isTextRule = ({ reason, phrases }: TextRule) =>
  typeof reason === 'string' && isListOf(phrases, isPhrase);

function compile({ rules, uploads }: RuleList): Compiled {
  return {
    rules: rules.map(({ reason, phrases }) => ({ reason, matches: matcherOf(phrases) })),
    uploadRules: uploads.rules.map(({ reason, phrases, sha256 }) => ({
      reason,
      matches: matcherOf(phrases),
      sha256: new Set(sha256),
    })),
    slow: uploads.slow.map(({ phrases, seconds }) => ({ seconds, matches: matcherOf(phrases) })),
  };
}

function matcherOf(phrases: string[]): (readings: string[]) => boolean {
  if (phrases.length === 0) return () => false;
  const expression = new RegExp(
    `(?<= )(?:${phrases.map((phrase) => spell(fold(phrase)).trim()).join('|')})(?= )`,
  );
  return (readings) => readings.some((words) => expression.test(words));
}

const lookalikes: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
};

/** A sign such as ! stands for a letter (f!lm) or ends a word (film!): the text is read both ways. */
function readingsOf(text: string): string[] {
  const folded = fold(text);
  return [folded, folded.replace(/[@$!|]/g, ' ')].map(spell);
}

/** In lower case, without accents, full-width forms and invisible characters. */
const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase();

/**
 * Words with one space around each: digits and signs that stand for letters are letters, and s p e l l e d words are
 * together. A sign at the end of a word stands for none.
 */
function spell(folded: string): string {
  const plain = folded
    .replace(
      /(?<=\p{L})[013457]|[013457](?=\p{L})|[@$!|](?=[013457@$!|]{0,3}\p{L})/gu,
      (character) => lookalikes[character] ?? character,
    )
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/(?<= |^)(?:\p{L} ){2,}\p{L}(?= |$)/gu, (spelled) => spelled.replaceAll(' ', ''));
  return ` ${plain} `;
}
