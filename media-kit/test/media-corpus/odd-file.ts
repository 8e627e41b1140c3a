import type { Inspected } from '../../src/inspect-file.ts';
import type { UnusableReason } from '../../src/unusable-file.ts';

/** A file to be judged, and what must come of it. */
export type OddFile = {
  name: string;
  bytes: () => Buffer | Promise<Buffer>;
} & (
  | { is: Partial<Inspected> }
  /** Refused at once. */
  | { refused: UnusableReason }
  /** Passes for what it says it is, until it is decoded. */
  | { undecodable: true }
);
