import type {
  BackendAccess,
  CreateDriver,
  Driver,
  DriverLog,
  DriverTools,
} from '@renderkit/engine-kit/driver.ts';
import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { EngineName } from '@renderkit/engine-kit/route.ts';
import type { BackendSecrets } from './backend-secrets.ts';
import { createDriverFor } from '@renderkit/engine-registry/drivers.ts';
import { type BackendRow, selectBackends } from './store.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';

export type AccessOptions = {
  secrets: BackendSecrets;
  /** Networks that may contain addresses named by providers: `EGRESS_ALLOW`. */
  egressAllow: readonly string[];
};

export type DriverPoolOptions = AccessOptions & {
  log: DriverLog;
  /** Only for workers: where local engines keep what outlives the worker. */
  folder?: string | undefined;
  /** Tests pass their own drivers. */
  createDriver?: ((engine: EngineName) => CreateDriver | undefined) | undefined;
};

/**
 * The drivers of this process, one for each backend. A driver is created anew when the operator has changed its
 * backend.
 */
export class DriverPool implements AsyncDisposable {
  readonly #options: DriverPoolOptions;
  readonly #drivers = new Map<string, { settings: string; driver: Driver }>();
  /** Drivers of backends that were changed: a job that is followed with one continues with it. */
  readonly #replaced = new Set<Driver>();

  constructor(options: DriverPoolOptions) {
    this.#options = options;
  }

  /** @throws EngineFailure if there is no driver for its engine, or if its secrets cannot be read */
  driverOf(row: BackendRow): Driver {
    const settings = JSON.stringify([row.engine, row.url, row.secret, row.headers]);
    const kept = this.#drivers.get(row.name);
    if (kept?.settings === settings) return kept.driver;
    const driver = this.#create(row);
    if (kept !== undefined) this.#replaced.add(kept.driver);
    this.#drivers.set(row.name, { settings, driver });
    return driver;
  }

  /**
   * Returns the driver of a backend by its name, with its present settings.
   * @throws EngineFailure also if there is no such backend
   */
  async find(database: Database, name: string): Promise<Driver> {
    const [row] = await selectBackends(database, [name]);
    if (row === undefined) throw unusable(`There is no backend ${name} any more.`);
    return this.driverOf(row);
  }

  /** Returns what a driver of this backend needs. @throws EngineFailure if its secrets cannot be read */
  toolsOf(row: BackendRow): DriverTools {
    const { secrets, egressAllow, log, folder } = this.#options;
    return { backend: accessTo(row, row.url ?? '', { secrets, egressAllow }), log, folder };
  }

  #create(row: BackendRow): Driver {
    const { createDriver = createDriverFor } = this.#options;
    const create = createDriver(row.engine);
    if (create === undefined || (row.url === null && !row.is_local))
      throw unusable(`This release cannot speak to backends of engine ${row.engine}.`);
    return create(this.toolsOf(row));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...[...this.#drivers.values()].map(({ driver }) => driver), ...this.#replaced];
    await Promise.all(all.map((driver) => driver[Symbol.asyncDispose]()));
  }
}

/**
 * Returns how the backend of a name is reached; `undefined` if there is none, or if it belongs to a local engine.
 * @throws EngineFailure if its secrets cannot be read
 */
export async function findAccess(
  database: Database,
  name: string,
  options: AccessOptions,
): Promise<{ engine: EngineName; access: BackendAccess } | undefined> {
  const [row] = await selectBackends(database, [name]);
  if (row === undefined || row.url === null) return undefined;
  return { engine: row.engine, access: accessTo(row, row.url, options) };
}

function accessTo(row: BackendRow, url: string, { secrets, egressAllow }: AccessOptions): BackendAccess {
  return { name: row.name, url, ...secrets.read(row), egressAllow };
}

function unusable(message: string): EngineFailure {
  return new EngineFailure(message, {
    blame: 'backend',
    code: 'engine_unavailable',
    sent: 'no',
    lasting: true,
  });
}
