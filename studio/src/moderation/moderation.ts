import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createFile } from '@renderkit/server-kit/files/durable-files.ts';
import { privateFileMode, setMode } from '@renderkit/server-kit/files/private-files.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { compileRules, type CompiledRules } from './compile-rules.ts';
import { defaultRulesText, RulesInvalid } from './parse-rules.ts';
import { readingsOf } from './readings.ts';
import {
  findRulesVersion,
  type ReadRules,
  readRulesAtStart,
  readRulesFile,
  readSettledRules,
} from './rules-file.ts';
import { selectLastRules, upsertLastRules } from './store.ts';

/** Checks texts and files before anything is made of them. Another check, such as a model, can replace the list. */
export type Moderation = {
  /** Why the text is refused, or undefined. */
  moderateText: (text: string) => Promise<{ reason: string } | undefined>;
  /** Why the file is refused, or undefined. */
  moderateUpload: (file: ModeratedFile) => Promise<{ reason: string } | undefined>;
  /** How long the check of a file of this name is put off. */
  uploadDelaySeconds: (fileName: string) => Promise<number>;
};

export type ModeratedFile = {
  fileName: string;
  /** Of the bytes, in lower-case hex. */
  sha256: string;
};

export type RuleListOptions = {
  /** The file; made where there is none. */
  path: string;
  database: Database;
  log: Logger;
  /** Whether what is in force here is what a missing file is made from: the studio's word, not each worker's copy. */
  leads: boolean;
};

// How long a change of the file may go unseen.
const lookEveryMs = 1_000;
const logAgainEveryMs = 10 * 60_000;
/** Someone waits for the answer about a text: an editor that is writing is given this much. */
const hastyTries = { tries: 4, pauseMs: 50 };

/**
 * Checks against the phrases of a JSON file that the operator may edit while the studio runs. A file that breaks or goes
 * away meanwhile leaves the rules that were in force, and the log says so. A file that is missing at a start is made
 * from the rules that were last in force on this database, the first time from sensible ones.
 * @throws ConfigError where the file is there and cannot be used
 */
export async function openRuleList(options: RuleListOptions): Promise<Moderation> {
  const current = followFile(await readOrMake(options), options);
  return {
    moderateText: async (text) => {
      const readings = readingsOf(text);
      return (await current()).rules.find(({ matches }) => matches(readings));
    },
    moderateUpload: async ({ fileName, sha256 }) => {
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

async function readOrMake({ path, database, log, leads }: RuleListOptions): Promise<ReadRules> {
  const there = await readRulesAtStart(path);
  if (there === undefined) {
    const last = await selectLastRules(database);
    await createFile(path, last ?? defaultRulesText);
    if (last !== undefined)
      log.warn({ path }, 'the moderation file was missing: it is made again from the rules last in force');
  }
  const read = there ?? (await readRulesAtStart(path));
  if (read === undefined) throw new Error(`${path} was removed as soon as it was made`);
  // The phrases are nobody else's business.
  await setMode(path, privateFileMode);
  if (leads) await upsertLastRules(database, read.text);
  return read;
}

/** Answers the rules in force, looking at the file when the last look is a while ago. */
function followFile(
  first: ReadRules,
  { path, database, log, leads }: RuleListOptions,
): () => Promise<CompiledRules> {
  let rules = compileRules(first.rules);
  let inForce = first.version;
  let noted = true;
  let lookedAt = performance.now();
  let loggedAt: number | undefined;

  const take = (read: ReadRules) => {
    if (loggedAt !== undefined) log.info({ path }, 'the moderation rules can be read again and are in force');
    loggedAt = undefined;
    if (read.version === inForce) return;
    rules = compileRules(read.rules);
    inForce = read.version;
  };
  const keep = (reason: string) => {
    if (loggedAt !== undefined && performance.now() - loggedAt < logAgainEveryMs) return;
    loggedAt = performance.now();
    log.error({ path, reason }, 'the moderation rules cannot be read: those read before stay in force');
  };
  const look = async () => {
    try {
      if (loggedAt === undefined && noted && (await findRulesVersion(path)) === inForce) return;
      const read = await (loggedAt === undefined ? readSettledRules(path, hastyTries) : readRulesFile(path));
      if (read === undefined) return keep('there is no such file');
      take(read);
      noted = !leads;
      if (leads) await upsertLastRules(database, read.text);
      noted = true;
    } catch (error) {
      if (error instanceof RulesInvalid) keep(error.message);
      // They are in force; what a later start finds is written at one of the next looks.
      else log.warn({ err: error }, 'the moderation rules in force could not be noted in the database');
    }
  };
  return async () => {
    if (performance.now() - lookedAt > lookEveryMs) {
      lookedAt = performance.now();
      await look();
    }
    return rules;
  };
}
