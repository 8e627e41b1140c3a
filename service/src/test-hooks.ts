import type { NameResolver } from '@renderkit/egress/resolve-name.ts';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';

/** Where the process may die at the worst moment. */
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
  // The studio has answered with a new token, and it is not stored.
  | 'refresh-answered';

/** Called at each point; a test entry ends the process there. */
export type CrashPoint = (name: CrashPointName) => void | Promise<void>;

/** What a test changes of a running service, and nobody else. Times are in milliseconds; left out: the ordinary ones. */
export type TestHooks = {
  crashPoint?: CrashPoint | undefined;
  /** Of claims, watches and files under way. */
  leaseMs?: number | undefined;
  /** Between looks for what nobody announced. */
  reconcileMs?: number | undefined;
  /** Before a submit whose outcome is not known is sent again. */
  retryMs?: number | undefined;
  /** Between looks for deliveries that are due. */
  deliveryPollMs?: number | undefined;
  /** Between looks of streams for what no notification told. */
  liveFloorMs?: number | undefined;
  /** After which a loop without progress counts as stuck. */
  stuckAfterMs?: number | undefined;
  /** Of calls to the studio. */
  studioTimeoutMs?: number | undefined;
  /** Requests of this process that may wait for generations. */
  maxLongPolls?: number | undefined;
  /** Other name servers than the system's. */
  resolver?: NameResolver | undefined;
  /** The pace that a client's file must keep. */
  uploadPace?: Pace | undefined;
  /** A certificate authority that deliveries trust, in PEM. */
  deliveryAuthority?: string | undefined;
};
