import { hash } from 'node:crypto';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { writeAdminAudit } from '../audit/admin-audit.ts';
import { lockCatalog } from '../catalog/queries.ts';
import { BackendError, type BackendSettings } from './backend.ts';
import type { BackendSecrets } from './backend-secrets.ts';
import { changeNamed, insertNamed } from './manage-backends.ts';
import {
  type BackendInFile,
  type BackendsFile,
  findBackendsFiles,
  readBackendsAt,
} from './read-backends-file.ts';
import { type CreditValue, selectFileDigests, updateCreditValue, updateFileDigest } from './store.ts';

export type ApplyBackendsDependencies = {
  secrets: BackendSecrets;
  /** Values of the environment variables that the file names. */
  variables: Readonly<Record<string, string | undefined>>;
  /** A start (`file`) keeps what an operator has changed; `apply` (`overwrite`) replaces it. */
  mode: 'file' | 'overwrite';
};

export type AppliedBackends = {
  result: 'applied' | 'unchanged' | 'kept';
  /** Backends that were kept: they were changed by other means since. */
  kept: string[];
};

/**
 * Applies a file of backends, in a transaction that holds the catalog's lock. Adds and changes backends; those that the
 * file does not name stay.
 * @throws BackendError
 */
export async function applyBackends(
  transaction: Transaction,
  { backends, credit_value: value }: BackendsFile,
  dependencies: ApplyBackendsDependencies,
): Promise<AppliedBackends> {
  const digests = await selectFileDigests(transaction);
  const kept: string[] = [];
  let applied = value !== undefined && (await applyCreditValue(transaction, value, dependencies));
  for (const entry of backends) {
    const { name } = entry;
    const known = digests.get(name);
    const digest = hash('sha256', JSON.stringify(entry));
    if (known !== undefined && known === digest) continue;
    if (dependencies.mode === 'file' && known === null) {
      kept.push(name);
      continue;
    }
    await applyEntry(transaction, entry, known !== undefined, dependencies);
    await updateFileDigest(transaction, name, digest);
    applied = true;
  }
  return { result: applied ? 'applied' : kept.length > 0 ? 'kept' : 'unchanged', kept };
}

/** Sets the worth of a credit for the guard against selling below cost. Returns whether the worth changed. */
async function applyCreditValue(
  transaction: Transaction,
  value: CreditValue,
  { mode }: ApplyBackendsDependencies,
): Promise<boolean> {
  const before = await updateCreditValue(transaction, value);
  if (before === undefined) return false;
  await writeAdminAudit(transaction, mode === 'file' ? 'file' : 'operator', {
    action: 'credit_value.changed',
    subject: 'credit_value',
    ...(before !== null && { before }),
    after: value,
  });
  return true;
}

async function applyEntry(
  transaction: Transaction,
  entry: BackendInFile,
  exists: boolean,
  { secrets, variables, mode }: ApplyBackendsDependencies,
): Promise<void> {
  const { name, engine } = entry;
  const actor = mode === 'file' ? 'file' : 'operator';
  const settings = settingsOf(entry, variables);
  if (exists) await changeNamed(transaction, name, settings, { secrets, actor, engine });
  else await insertNamed(transaction, { name, engine, settings }, { secrets, actor });
}

/**
 * Returns the settings of an entry. What the entry leaves out gets its default again; a secret that it does not name is
 * kept.
 */
function settingsOf(
  entry: BackendInFile,
  variables: ApplyBackendsDependencies['variables'],
): BackendSettings {
  const {
    name,
    url,
    slots,
    labels = [],
    secret,
    headers,
    max_cost: maxCost,
    allow_loss: allowLoss = false,
  } = entry;
  const read = (variable: string) => {
    const value = variables[variable]?.trim() ?? '';
    if (value === '')
      throw new BackendError(`${name} names the variable ${variable}, which is not set or empty.`);
    return value;
  };
  const sent = Object.entries(headers ?? {}).map(([header, value]) => [
    header,
    typeof value === 'string' ? value : read(value.secret.env),
  ]);
  return {
    url,
    slots,
    labels,
    secret: secret && read(secret.env),
    headers: sent.length > 0 ? (Object.fromEntries(sent) as Record<string, string>) : undefined,
    maxCostPerDay: maxCost?.per_day ?? null,
    currency: maxCost?.currency,
    allowLoss,
  };
}

/** Each line is about the file. */
export type BackendsFileLog = Record<
  'info' | 'warn' | 'error',
  (details: { file: string; problems?: readonly Problem[]; backends?: string[] }, message: string) => void
>;

/**
 * Applies `backends.yaml` of a data directory at a start. A broken file changes nothing.
 * @throws ConfigError for a broken file if no file was ever applied
 */
export async function applyBackendsFile(
  database: Database,
  dataDirectory: string,
  { log, ...dependencies }: Omit<ApplyBackendsDependencies, 'mode'> & { log: BackendsFileLog },
): Promise<void> {
  for (const file of await findBackendsFiles(dataDirectory)) {
    const { kept, problems } = await applyAtStart(database, file, dependencies);
    if (kept !== undefined && kept.length > 0)
      log.warn(
        { file, backends: kept },
        'backends were changed by other means since: `apply` puts the file in force',
      );
    if (problems === undefined) continue;
    const wasApplied = [...(await selectFileDigests(database)).values()].some((digest) => digest !== null);
    if (!wasApplied)
      throw new ConfigError(`${file} cannot be used (${sentenceOf(problems)}): mend it or take it away.`);
    log.error({ file, problems }, 'a file of backends cannot be used: what it said before stays in force');
  }
}

async function applyAtStart(
  database: Database,
  file: string,
  dependencies: Omit<ApplyBackendsDependencies, 'mode'>,
): Promise<{ kept?: string[]; problems?: readonly Problem[] }> {
  const { content, problems } = await readBackendsAt(file);
  if (content === undefined) return { problems };
  try {
    return await database.transaction(async (transaction) => {
      await lockCatalog(transaction);
      const { kept } = await applyBackends(transaction, content, { ...dependencies, mode: 'file' });
      return { kept };
    });
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    return { problems: [{ code: 'choice_unknown', message: error.message }] };
  }
}

function sentenceOf([first]: readonly Problem[]): string {
  const line = first?.line === undefined ? '' : `line ${first.line}: `;
  return `${line}${first?.message.replace(/\.$/, '') ?? ''}`;
}
