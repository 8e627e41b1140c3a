import type { KeyObject } from 'node:crypto';
import type { Driver, Handle } from '@renderkit/engine-kit/driver.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Claim } from '../backends/claim-queries.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import type { Reporter, ReporterOptions } from '../progress/reporter.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import type { FollowPauses } from './follow-job.ts';

export type SubmissionDependencies = Omit<ReporterOptions, 'log'> & {
  storage: BlobStorage;
  mediaKey: KeyObject;
  catalog: Catalog;
  /**
   * Implemented by `DriverPool` in `studio/src/backends/driver-pool.ts`.
   * @throws EngineFailure if this process cannot connect to the backend
   */
  driverOf: (backend: string) => Promise<Driver>;
  /** The name of this process in leases. */
  worker: string;
  leaseMs: number;
  /** Notifies the account's readers, after commit. */
  announce: (account: string) => void;
  log: Logger;
  crashPoint?: ((name: string) => void | Promise<void>) | undefined;
  /** For tests: shorter ones. */
  pauses?: Partial<Pauses>;
};

/** Milliseconds. `follow-job.ts`, `collect-job.ts`, `send-job.ts` and `run-submission.ts` apply them. */
export type Pauses = FollowPauses & {
  askAgain: number;
  /** Until a result that was unavailable or useless is fetched again. The pause doubles while its host is away. */
  fetchAgain: number;
  /** Until a result that could not be stored is tried again. */
  spaceAgain: number;
};

export const usualPauses: Pauses = {
  askAgain: 5_000,
  fetchAgain: 20_000,
  spaceAgain: 15_000,
  unreachable: 2_000,
  maxUnreachable: 15_000,
  minLook: 10_000,
  lastLook: 60_000,
};

/**
 * One job of a render at a backend behind an address, and what is needed to continue it. `run-submission.ts` takes it
 * from the claim to the end.
 */
export type Job = {
  claim: Claim;
  model: CatalogModel;
  route: Route;
  files: ReadonlyMap<string, string>;
  driver: Driver;
  folder: string;
  signal: AbortSignal;
  /** Raised when the render was stopped, or when its backend is drained and the time for running jobs is over. */
  draining: AbortSignal;
  /** How the engine identifies the job, once it has it. */
  handle: Handle | undefined;
  /** Whether the engine may have the job by now, and whether it certainly has it. */
  arrival: { isPossible: boolean; isKnown: boolean };
  pauses: Pauses;
  reporter: Reporter;
  dependencies: SubmissionDependencies;
};

/** The job was canceled at its backend: another backend may make it, or nobody does any more. */
export class Drained extends Error {
  override readonly name = 'Drained';
  /** The backend never had the job. */
  readonly unsent: boolean;

  constructor(message: string, unsent = false) {
    super(message);
    this.unsent = unsent;
  }
}
