/** A refusal that an operator can act on; its message is one sentence (or two) that says what and what to do. */
export class StackError extends Error {
  override name = 'StackError';
}
