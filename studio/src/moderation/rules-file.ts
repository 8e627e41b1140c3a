import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { parseRules, type RuleList, RulesInvalid } from './parse-rules.ts';

export type ReadRules = {
  rules: RuleList;
  text: string;
  /** Another one for each change of the file. */
  version: string;
  changedAt: Date;
};

/** A rules file larger than this is some other file. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads a moderation file once; undefined where there is none.
 * @throws RulesInvalid where it is there and cannot be used
 */
export async function readRulesFile(file: string): Promise<ReadRules | undefined> {
  try {
    await using handle = await open(file, 'r');
    const stats = await handle.stat();
    if (!stats.isFile()) throw new RulesInvalid('it is no file');
    if (stats.size > maxBytes) throw new RulesInvalid(`it has more than ${maxBytes} bytes`);
    const bytes = await handle.readFile();
    return {
      rules: parseRules(bytes),
      text: bytes.toString(),
      version: versionOf(stats),
      changedAt: stats.mtime,
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (error instanceof RulesInvalid) throw error;
    throw new RulesInvalid(`it cannot be read: ${message}`, { cause: error });
  }
}

/** The version that `readRulesFile` would name now; undefined where it cannot be told. */
export async function findRulesVersion(file: string): Promise<string | undefined> {
  return stat(file).then(versionOf, () => undefined);
}

function versionOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

const startTries = { tries: 4, pauseMs: 150 };

/**
 * Reads a moderation file, more than once where it is broken: an editor may be writing it right now.
 * @throws RulesInvalid where it stays broken
 */
export async function readSettledRules(
  file: string,
  { tries, pauseMs } = startTries,
): Promise<ReadRules | undefined> {
  for (let left = tries; ; left--) {
    try {
      return await readRulesFile(file);
    } catch (error) {
      if (!(error instanceof RulesInvalid) || left === 1) throw error;
      await sleep(pauseMs);
    }
  }
}

/**
 * Reads a file that an operator names, in the same way; undefined where there is none.
 * @throws ConfigError with one sentence for the operator
 */
export async function readGivenRules(file: string): Promise<ReadRules | undefined> {
  try {
    return await readSettledRules(file);
  } catch (error) {
    if (!(error instanceof RulesInvalid)) throw error;
    throw refusalOf(file, error);
  }
}

/** One sentence for the operator, where there is nothing to go on with. */
export function refusalOf(file: string, error: RulesInvalid): ConfigError {
  return new ConfigError(
    `The moderation rules in ${file} cannot be used (${error.message}): mend the file or put a copy of it back, because nothing is made without its rules.`,
    { cause: error },
  );
}
