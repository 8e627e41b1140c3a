import type { Inspected } from '../../src/inspect-file.ts';
import type { UnusableReason } from '../../src/unusable-file.ts';

/** A file to check, and the expected outcome. */
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
