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

/**
 * Checks texts and files before they are used. Texts are checked by `create-quotes.ts` and `submit-render.ts` in
 * `studio/src/renders/`, files by `studio/src/uploads/check-upload.ts`. Another check, such as a model, can replace the
 * list.
 */
export type Moderation = {
  /** Returns why the text is refused, or `undefined`. */
  moderateText: (text: string) => Promise<{ reason: string } | undefined>;
  /** Returns why the file is refused, or `undefined`. */
  moderateUpload: (file: ModeratedFile) => Promise<{ reason: string } | undefined>;
  /** Returns for how long the check of a file with this name is delayed. */
  uploadDelaySeconds: (fileName: string) => Promise<number>;
};

export type ModeratedFile = {
  fileName: string;
  /** The hash of the bytes, in lower-case hex. */
  sha256: string;
};

export type RuleListOptions = {
  /** The path of the file in the data directory. */
  path: string;
  database: Database;
  log: Logger;
};

// A change is noticed within this time.
const lookEveryMs = 1_000;
const logAgainEveryMs = 10 * 60_000;
/** Enough time for an editor to finish writing. */
const hastyTries = { tries: 4, pauseMs: 50 };

/**
 * Opens the studio's rules. The database holds them for all processes on all machines; operators change them through a
 * JSON file. A change of the file takes effect within a second while the studio runs. `put-rules.ts` decides whether a
 * file replaces the rules. When the file is broken, or disappears while the studio runs, the rules stay and the log
 * reports the problem. A file missing at startup is created from the rules in force, at first from default rules.
 * Disposing stops watching the file.
 * @throws ConfigError when the file cannot be used and the database has no rules yet
 */
export async function openStudioRules(options: RuleListOptions): Promise<Moderation & Disposable> {
  const lookAtFile = await followFile(options);
  const current = await followRules(options, { lookFirst: lookAtFile, otherwise: defaultRulesText });
  // Workers read only the database, so the studio must check the file even when it gets no requests.
  const timer = setInterval(() => void current(), lookEveryMs).unref();
  return { ...moderationBy(current), [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Opens a worker's rules: those of the database. A file in the worker's data directory applies only until the studio
 * has stored rules. Until then, a broken file prevents the worker from starting, as it does the studio.
 * @throws ConfigError when the file cannot be used and the database has no rules yet
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

/** Reads the file at startup, or creates a missing one (`isOurs`). Returns `broken` when the file is broken. */
async function readOrMake(
  options: RuleListOptions,
): Promise<{ read: ReadRules; isOurs: boolean } | 'broken'> {
  const { path, database, log } = options;
  // The phrases are private, also those of a broken file.
  await setMode(path, privateFileMode);
  const found = await readRulesAtStart(options);
  if (found !== undefined) return found === 'broken' ? found : { read: found, isOurs: false };
  const inForce = await selectRules(database);
  // The directory is missing when media are kept in a bucket. An existing directory keeps its mode: the account of the
  // built-in PostgreSQL may need access to it.
  await makeMissingDirectory(dirname(path));
  await createFile(path, inForce?.text ?? defaultRulesText);
  if (inForce !== undefined)
    log.warn({ path }, 'the moderation file was missing: it is made again from the rules in force');
  const made = await readRulesAtStart(options);
  if (made === undefined) throw new Error(`${path} was removed as soon as it was made`);
  return made === 'broken' ? made : { read: made, isOurs: true };
}

/**
 * Returns a function for the rules in force, which checks the database if the last check is too old. The log reports
 * failures to read.
 */
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
  // Nothing may be generated before the rules are read.
  await read();
  return async () => {
    if (performance.now() - lookedAt > lookEveryMs) await (looking ??= look());
    return rules;
  };
}

/** @throws ConfigError when another release stored rules that this release does not understand */
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
 * Applies the file now and creates a missing one. Returns a function that applies the file if it has changed.
 * @throws ConfigError when the file cannot be used and the database has no rules yet
 */
async function followFile(options: RuleListOptions): Promise<() => Promise<void>> {
  const { path, database, log } = options;
  const first = await readOrMake(options);
  /** The file that was applied or left aside last. `undefined` while the file is still broken as at startup. */
  let seen = first === 'broken' ? undefined : { version: first.read.version, text: first.read.text };
  /** When the log last reported that the file is broken; `undefined` while the file is not broken. */
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
    // A change during the run is newer than the rules, whatever the clocks say. A file with the same text was not
    // changed. If the file was broken at startup, its earlier text is unknown: it is treated as at startup.
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
      // One of the next checks stores the rules.
      else log.warn({ err: error }, 'the moderation rules could not be written to the database');
    }
  };
}

const leftAside =
  'the moderation file says something else than the rules in force, which were changed by other means since: `moderation apply` puts it in force';
