import { readFile, stat, writeFile } from 'node:fs/promises';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import type { Moderation } from './moderation.ts';

export type RuleList = {
  /** Each rule refuses a text that holds one of its phrases as whole words, however they are spelt. */
  rules: { reason: string; phrases: string[] }[];
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
};

type Compiled = { reason: string; expression: RegExp }[];

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
  return {
    judgeText: async (text) => {
      if (performance.now() - lookedAt > lookEveryMs) await refresh();
      const readings = readingsOf(text);
      return rules.find(({ expression }) => readings.some((words) => expression.test(words)));
    },
  };
}

function parseRules(text: string): RuleList {
  const value = JSON.parse(text) as Partial<RuleList> | null;
  const valid =
    Array.isArray(value?.rules) &&
    value.rules.every(
      ({ reason, phrases }) =>
        typeof reason === 'string' &&
        Array.isArray(phrases) &&
        phrases.every((phrase) => typeof phrase === 'string' && phrase.trim() !== ''),
    );
  if (!valid) throw new Error('expected {"rules": [{"reason": "…", "phrases": ["…"]}]}');
  return value as RuleList;
}

function compile({ rules }: RuleList): Compiled {
  return rules
    .filter(({ phrases }) => phrases.length > 0)
    .map(({ reason, phrases }) => ({
      reason,
      expression: new RegExp(
        `(?<= )(?:${phrases.map((phrase) => spell(fold(phrase)).trim()).join('|')})(?= )`,
      ),
    }));
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
