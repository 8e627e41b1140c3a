import type { OsAccount } from './os-account.ts';
import type { ClusterPlace } from './place.ts';

/**
 * The supervisor's only argument (JSON); it contains no secret. `run-supervisor.ts` passes it to
 * `postgres-supervisor.ts`.
 */
export type SupervisorTask = {
  place: ClusterPlace;
  account: OsAccount | undefined;
  copyDirectory: string;
  logFile: string;
  /** Settings that replace the default ones. */
  settings: Record<string, string>;
  /** Whether the server has served in this run of the stack: then the supervisor never gives up. */
  served: boolean;
};

/** What the supervisor reports. `ready` is sent again after each restart of the server. */
export type SupervisorReport =
  | { type: 'ready'; host: string; port: number }
  | { type: 'down'; reason: string }
  | { type: 'failed'; message: string };
