import type { OsAccount } from './os-account.ts';
import type { ClusterPlace } from './place.ts';

/** What the supervisor is told, as its one argument (JSON); it holds no secret. */
export type SupervisorTask = {
  place: ClusterPlace;
  account: OsAccount | undefined;
  copyDirectory: string;
  logFile: string;
  /** PostgreSQL's settings in place of ours. */
  settings: Record<string, string>;
  /** The server has served in this run of the stack: it is never given up. */
  served: boolean;
};

/** What the supervisor tells. `ready` comes again after each restart of the server. */
export type SupervisorReport =
  | { type: 'ready'; host: string; port: number }
  | { type: 'down'; reason: string }
  | { type: 'failed'; message: string };
