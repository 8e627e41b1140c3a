/** A broken promise: where, and what to do about it. */
export type Violation = { path: string; message: string };
