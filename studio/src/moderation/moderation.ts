import { dirname } from 'node:path';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createFile } from '@renderkit/server-kit/files/durable-files.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { makeMissingDirectory, privateFileMode, setMode } from '@renderkit/server-kit/files/private-files.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { compileRules, type CompiledRules } from './compile-rules.ts';
import { defaultRulesText, parseRules, type RuleList, RulesInvalid } from './parse-rules.ts';
import { type PutMode, putRules } from './put-rules.ts';
import { readRulesAtStart } from './read-at-start.ts';
import { readingsOf } from './readings.ts';
import { findRulesVersion, type ReadRules, readRulesFile, readSettledRules } from './rules-file.ts';
import { selectRules, selectRulesVersion } from './store.ts';

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
  /** The file in the data directory. */
  path: string;
  database: Database;
  log: Logger;
};

// How long a change may go unseen.
const lookEveryMs = 1_000;
const logAgainEveryMs = 10 * 60_000;
/** An editor that is writing is given this much. */
const hastyTries = { tries: 4, pauseMs: 50 };

/**
 * The studio's rules. They stand in its database, for every process on every machine, and a JSON file is their way in: one that
 * the operator edits while the studio runs is put in force within a second. A file that breaks or goes away, or is broken
 * at a start, leaves the rules as they are, and the log says so. One that is missing at a start is made from the rules in
 * force, the first time from sensible ones. Disposing stops looking at the file.
 * @throws ConfigError where the file is there and cannot be used, and the database has no rules yet
 */
export async function openStudioRules(options: RuleListOptions): Promise<Moderation & Disposable> {
  const lookAtFile = await followFile(options);
  const current = await followRules(options, { lookFirst: lookAtFile, otherwise: defaultRulesText });
  // A worker asks the database alone, whether or not anybody asks the studio meanwhile.
  const timer = setInterval(() => void current(), lookEveryMs).unref();
  return { ...moderationBy(current), [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * A worker's rules: those of the database. A file in its own data directory counts only until the studio has put rules there:
 * one that is broken keeps the worker from starting until then, as it does the studio.
 * @throws ConfigError where the file is there and cannot be used, and the database has no rules yet
 */
export async function openWorkerRules(options: RuleListOptions): Promise<Moderation> {
  const file = await readRulesAtStart(options);
  const otherwise = file === undefined || file === 'broken' ? defaultRulesText : file.text;
  return moderationBy(await followRules(options, { otherwise }));
}

function moderationBy(current: () => Promise<CompiledRules>): Moderation {
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

/** What the file says at a start, unless it is broken; `isOurs`: it was missing and has been made. */
async function readOrMake(
  options: RuleListOptions,
): Promise<{ read: ReadRules; isOurs: boolean } | 'broken'> {
  const { path, database, log } = options;
  // The phrases are nobody else's business, and those of a broken file neither.
  await setMode(path, privateFileMode);
  const found = await readRulesAtStart(options);
  if (found !== undefined) return found === 'broken' ? found : { read: found, isOurs: false };
  const inForce = await selectRules(database);
  // With media in a bucket nobody has made it. One that is there is left as it is: the account of the built-in PostgreSQL
  // may have to pass it.
  await makeMissingDirectory(dirname(path));
  await createFile(path, inForce?.text ?? defaultRulesText);
  if (inForce !== undefined)
    log.warn({ path }, 'the moderation file was missing: it is made again from the rules in force');
  const made = await readRulesAtStart(options);
  if (made === undefined) throw new Error(`${path} was removed as soon as it was made`);
  return made === 'broken' ? made : { read: made, isOurs: true };
}

/** Answers the rules in force, asking the database when the last look is a while ago. What is left unread is told in the log. */
async function followRules(
  { database, log }: Omit<RuleListOptions, 'path'>,
  { lookFirst, otherwise }: { lookFirst?: () => Promise<void>; otherwise: string },
): Promise<() => Promise<CompiledRules>> {
  let rules = compileRules(parseRules(Buffer.from(otherwise)));
  let inForce: string | undefined;
  let lookedAt: number;
  let looking: Promise<void> | undefined;
  const read = async () => {
    if ((await selectRulesVersion(database)) === inForce) return;
    const row = await selectRules(database);
    if (row === undefined) return;
    rules = compileRules(parseInForce(row.text));
    inForce = row.version;
  };
  const look = async () => {
    lookedAt = performance.now();
    await lookFirst?.();
    await read().catch((error: unknown) =>
      log.warn({ err: error }, 'the moderation rules could not be looked at: those read before are in force'),
    );
    looking = undefined;
  };
  lookedAt = performance.now();
  // Nothing is made before they are known.
  await read();
  return async () => {
    if (performance.now() - lookedAt > lookEveryMs) await (looking ??= look());
    return rules;
  };
}

/** @throws ConfigError where another release put rules there that this one does not understand */
function parseInForce(text: string): RuleList {
  try {
    return parseRules(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof RulesInvalid)) throw error;
    throw new ConfigError(
      `The moderation rules in the database cannot be used (${error.message}): put others in force with \`operator moderation apply\`.`,
      { cause: error },
    );
  }
}

/**
 * Puts in force what the file says, now and at each call where it says something else than before. A missing one is made.
 * @throws ConfigError where it is there and cannot be used, and the database has no rules yet
 */
async function followFile(options: RuleListOptions): Promise<() => Promise<void>> {
  const { path, database, log } = options;
  const first = await readOrMake(options);
  /** Of the file that was put in force last, or left aside; undefined while it is as broken as it was at the start. */
  let seen = first === 'broken' ? undefined : { version: first.read.version, text: first.read.text };
  /** While it is broken: when that was said. */
  let loggedAt = first === 'broken' ? performance.now() : undefined;

  const refuse = (reason: string) => {
    if (loggedAt !== undefined && performance.now() - loggedAt < logAgainEveryMs) return;
    loggedAt = performance.now();
    log.error({ path, reason }, 'the moderation rules cannot be read: those read before stay in force');
  };
  const put = async (text: string, mode: PutMode) => {
    if ((await putRules(database, text, mode)) === 'kept' && mode.by === 'file')
      log.warn({ path }, leftAside);
  };
  const take = async ({ text, version, changedAt }: ReadRules) => {
    // What was changed under our eyes is newer than the rules, whatever the clocks say; what says the same was not changed.
    // Of one that was broken at the start nobody knows what it said: it counts as at a start.
    if (text !== seen?.text) await put(text, { by: 'file', ...(seen === undefined && { changedAt }) });
    if (loggedAt !== undefined) log.info({ path }, 'the moderation rules can be read again');
    loggedAt = undefined;
    seen = { version, text };
  };
  if (first !== 'broken')
    await put(
      first.read.text,
      first.isOurs ? { by: 'copy' } : { by: 'file', changedAt: first.read.changedAt },
    );
  return async () => {
    try {
      if (loggedAt === undefined && (await findRulesVersion(path)) === seen?.version) return;
      const read = await (loggedAt === undefined ? readSettledRules(path, hastyTries) : readRulesFile(path));
      if (read === undefined) refuse('there is no such file');
      else await take(read);
    } catch (error) {
      if (error instanceof RulesInvalid) refuse(error.message);
      // It is put there at one of the next looks.
      else log.warn({ err: error }, 'the moderation rules could not be written to the database');
    }
  };
}

const leftAside =
  'the moderation file says something else than the rules in force, which were changed by other means since: `moderation apply` puts it in force';
