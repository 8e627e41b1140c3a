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
  /** Inspection accepts the file, but decoding fails. */
  | { undecodable: true }
);
