import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { parseRules, type RuleList, RulesInvalid } from './parse-rules.ts';

export type ReadRules = {
  rules: RuleList;
  text: string;
  /** Differs after each change of the file. */
  version: string;
  changedAt: Date;
};

/** A larger file is not a rules file. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads a moderation file once. `put-rules.ts` decides whether the file applies. Returns `undefined` when there is no
 * file.
 * @throws RulesInvalid when the file cannot be used
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

/** Returns the version that `readRulesFile` would return now; `undefined` when the file cannot be examined. */
export async function findRulesVersion(file: string): Promise<string | undefined> {
  return stat(file).then(versionOf, () => undefined);
}

function versionOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

const startTries = { tries: 4, pauseMs: 150 };

/**
 * Reads a moderation file. Retries when the file is broken: an editor may be writing it.
 * @throws RulesInvalid when the file stays broken
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
 * Reads a file that an operator names, like `readSettledRules`. Returns `undefined` when there is no file.
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

/** Returns one sentence for the operator, for when there are no other rules to use. */
export function refusalOf(file: string, error: RulesInvalid): ConfigError {
  return new ConfigError(
    `The moderation rules in ${file} cannot be used (${error.message}): mend the file or put a copy of it back, because nothing is made without its rules.`,
    { cause: error },
  );
}
