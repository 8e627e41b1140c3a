import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { RulesInvalid } from './parse-rules.ts';
import { type ReadRules, readSettledRules, refusalOf } from './rules-file.ts';
import { selectRules } from './store.ts';

/** Each line of the log is about the file. */
export type RulesFileLog = {
  error: (details: { file: string; problems: readonly Problem[] }, message: string) => void;
};

/**
 * Reads the moderation file of a data directory at startup, within half a second; `undefined` when there is no file.
 * Returns `broken` when the file cannot be used but the database has rules: those stay in force, and the log reports
 * the error.
 * @throws ConfigError when the file cannot be used and no rules are in force
 */
export async function readRulesAtStart(options: {
  path: string;
  database: Database;
  log: RulesFileLog;
}): Promise<ReadRules | 'broken' | undefined> {
  const { path: file, database, log } = options;
  try {
    return await readSettledRules(file);
  } catch (error) {
    if (!(error instanceof RulesInvalid)) throw error;
    if ((await selectRules(database)) === undefined) throw refusalOf(file, error);
    log.error(
      { file, problems: [{ code: 'invalid_yaml', message: error.message }] },
      'the file of moderation rules cannot be used: the rules that were in force stay in force',
    );
    return 'broken';
  }
}
