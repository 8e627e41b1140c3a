import type { NameResolver } from '@renderkit/egress/resolve-name.ts';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';

/** Points where a crash of the process is most dangerous. */
export type CrashPointName =
  // In order of a generation's life.
  | 'create-quoted'
  | 'create-accepted'
  | 'submit-claimed'
  | 'submit-sent'
  | 'submit-answered'
  | 'settle-composed'
  | 'settle-committed'
  | 'cancel-asked'
  | 'cancel-committed'
  // In order of an upload's life.
  | 'upload-receiving'
  | 'upload-stored'
  | 'upload-recorded'
  | 'import-fetched'
  | 'upload-settling'
  | 'upload-deleted'
  // In order of a delivery's life.
  | 'delivery-claimed'
  | 'delivery-posted'
  | 'delivery-recorded'
  // The studio has answered with a new token, which is not stored yet.
  | 'refresh-answered';

/** Called at each point. A test's entry point (`service/test/doomed-entry.ts`) kills the process there. */
export type CrashPoint = (name: CrashPointName) => void | Promise<void>;

/**
 * Settings that only tests change in a running service. Times are in milliseconds. What is left out has its ordinary
 * value.
 */
export type TestHooks = {
  crashPoint?: CrashPoint | undefined;
  /** How long the leases of claims, watches and running files last. */
  leaseMs?: number | undefined;
  /** Time between polls for changes that were not notified. */
  reconcileMs?: number | undefined;
  /** Time before a submit with an unknown outcome is sent again. */
  retryMs?: number | undefined;
  /** Time between polls for deliveries that are due. */
  deliveryPollMs?: number | undefined;
  /** Time between polls of streams for changes that were not notified. */
  liveFloorMs?: number | undefined;
  /** Time after which a loop without progress counts as stuck. */
  stuckAfterMs?: number | undefined;
  /** Timeout of calls to the studio. */
  studioTimeoutMs?: number | undefined;
  /** The most requests of this process that may wait for generations. */
  maxLongPolls?: number | undefined;
  /** Uses other name servers than the system's. */
  resolver?: NameResolver | undefined;
  /** The minimum pace of a client's file. */
  uploadPace?: Pace | undefined;
  /** A certificate authority that deliveries trust, in PEM. */
  deliveryAuthority?: string | undefined;
};
