import { type EngineName, engineNames, localEngines } from '@renderkit/engine-kit/route.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { type AdminActor, writeAdminAudit } from '../audit/admin-audit.ts';
import { growRevision, lockCatalog } from '../catalog/queries.ts';
import type { BackendSecrets } from './backend-secrets.ts';
import { type Backend, BackendError, type BackendSettings } from './backend.ts';
import { changedRow, namePattern } from './check-settings.ts';
import { listBackends } from './queries.ts';
import {
  type BackendRow,
  countLive,
  deleteBackend,
  insertBackend,
  lockBackend,
  selectModelsLeft,
  updateBackend,
  updateWanted,
} from './store.ts';

/** Addresses of the providers whose address is the same for everybody. */
export const knownUrls: { readonly [Engine in EngineName]?: string } = {
  fal: 'https://queue.fal.run',
  replicate: 'https://api.replicate.com/v1',
};

export type ManageDependencies = { database: Database; secrets: BackendSecrets; actor: AdminActor };

/** Adds a backend. Workers probe it within two seconds. @throws BackendError */
export async function addBackend(
  asked: { name: string; engine: EngineName; settings: BackendSettings },
  { database, secrets, actor }: ManageDependencies,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    await insertNamed(transaction, asked, { secrets, actor });
  });
}

/** Like `addBackend`, in a transaction that holds the catalog's lock. @throws BackendError */
export async function insertNamed(
  transaction: Transaction,
  { name, engine, settings }: { name: string; engine: EngineName; settings: BackendSettings },
  { secrets, actor }: Pick<ManageDependencies, 'secrets' | 'actor'>,
): Promise<void> {
  if (!namePattern.test(name))
    throw new BackendError(
      `${JSON.stringify(name)} is no name of a backend: letters, digits, ., _ and -, 63 at most.`,
      { field: 'name' },
    );
  if (!engineNames.includes(engine))
    throw new BackendError(`There is no engine ${engine}: there are ${engineNames.join(', ')}.`, {
      field: 'engine',
    });
  const isLocal = (localEngines as readonly string[]).includes(engine);
  const row = changedRow(
    {
      name,
      engine,
      is_local: isLocal,
      built_in: false,
      url: knownUrls[engine] ?? null,
      secret: null,
      headers: null,
      slots: isLocal ? null : 1,
      labels: [],
      wanted: 'on',
      up: isLocal,
      max_cost_per_day: null,
      currency: null,
      allow_loss: false,
    },
    settings,
    secrets,
  );
  if (!isLocal && row.url === null)
    throw new BackendError(
      `A backend of engine ${engine} needs an address: where its API is, such as http://10.0.0.5:8188.`,
      { field: 'url' },
    );
  if (!(await insertBackend(transaction, row)))
    throw new BackendError(`There is already a backend ${name}: change it with backend set.`, {
      kind: 'conflict',
      field: 'name',
    });
  await writeAdminAudit(transaction, actor, {
    action: 'backend.added',
    subject: `backend:${name}`,
    after: visible(row),
  });
  await growRevision(transaction);
}

/** Changes what is given and leaves the rest. @throws BackendError */
export async function setBackend(
  name: string,
  settings: BackendSettings,
  { database, ...rest }: ManageDependencies,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    await changeNamed(transaction, name, settings, rest);
  });
}

/**
 * Like `setBackend`, in a transaction that holds the catalog's lock. `engine`: the engine that it must have.
 * @throws BackendError
 */
export async function changeNamed(
  transaction: Transaction,
  name: string,
  settings: BackendSettings,
  { secrets, actor, engine }: Pick<ManageDependencies, 'secrets' | 'actor'> & { engine?: EngineName },
): Promise<void> {
  const before = await locked(transaction, name);
  if (engine !== undefined && engine !== before.engine)
    throw new BackendError(`${name} is of engine ${before.engine}: remove it before it can be of ${engine}.`);
  const after = changedRow(before, settings, secrets);
  await updateBackend(transaction, after);
  await writeAdminAudit(transaction, actor, {
    action: 'backend.changed',
    subject: `backend:${name}`,
    before: visible(before),
    after: visible(after),
  });
  await growRevision(transaction);
}

/**
 * Drains a backend: it gets no more work, and is off once what runs there has ended. With `withinSeconds`, jobs that
 * still run after these seconds are canceled and given back, without blame. The workers cancel them
 * (`studio/src/renders/start-claims.ts`), and `start-backend-health.ts` turns the backend off.
 * @throws BackendError
 */
export async function drainBackend(
  name: string,
  withinSeconds: number | null,
  { database, actor }: Pick<ManageDependencies, 'database' | 'actor'>,
): Promise<void> {
  await want(name, 'draining', withinSeconds, { database, actor });
}

/** Lets a backend get work again. @throws BackendError */
export async function resumeBackend(
  name: string,
  { database, actor }: Pick<ManageDependencies, 'database' | 'actor'>,
): Promise<void> {
  await want(name, 'on', null, { database, actor });
}

/**
 * Removes a backend. Returns the models on offer that then have no backend.
 * @throws BackendError if something still runs there
 */
export async function removeBackend(
  name: string,
  { database, actor }: Pick<ManageDependencies, 'database' | 'actor'>,
): Promise<string[]> {
  return database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    const row = await locked(transaction, name);
    if (row.built_in)
      throw new BackendError(`${name} comes with the product: it can be drained, but not removed.`, {
        kind: 'conflict',
      });
    const live = await countLive(transaction, name);
    if (live > 0)
      throw new BackendError(`${live} still run on ${name}: drain it first, and remove it once it is off.`, {
        kind: 'conflict',
      });
    await deleteBackend(transaction, name);
    await writeAdminAudit(transaction, actor, {
      action: 'backend.removed',
      subject: `backend:${name}`,
      before: visible(row),
    });
    await growRevision(transaction);
    return selectModelsLeft(transaction, row);
  });
}

/** @throws BackendError if there is no backend of that name */
export async function showBackend(database: Database, name: string): Promise<Backend> {
  const [backend] = await listBackends(database, name);
  if (backend === undefined) throw missing(name);
  return backend;
}

async function want(
  name: string,
  wanted: BackendRow['wanted'],
  withinSeconds: number | null,
  { database, actor }: Pick<ManageDependencies, 'database' | 'actor'>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    const { wanted: before } = await locked(transaction, name);
    // A backend that is off stays off.
    if (wanted === 'draining' && before === 'off') return;
    await updateWanted(transaction, name, wanted, withinSeconds);
    await writeAdminAudit(transaction, actor, {
      action: wanted === 'on' ? 'backend.resumed' : 'backend.drained',
      subject: `backend:${name}`,
      before: { wanted: before },
      after: { wanted, ...(withinSeconds !== null && { within_seconds: withinSeconds }) },
    });
    await growRevision(transaction);
  });
}

async function locked(transaction: Transaction, name: string): Promise<BackendRow> {
  const row = await lockBackend(transaction, name);
  if (row === undefined) throw missing(name);
  return row;
}

function missing(name: string): BackendError {
  return new BackendError(`There is no backend ${name}.`, { kind: 'missing' });
}

/** Returns what the audit shows: whether there are secrets, never their values. */
function visible(row: BackendRow): object {
  const { name, engine, url, slots, labels, max_cost_per_day, currency, allow_loss } = row;
  const secrets = { secret: row.secret !== null, headers: row.headers !== null };
  return { name, engine, url, slots, labels, max_cost_per_day, currency, allow_loss, ...secrets };
}
