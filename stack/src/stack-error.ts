/** An error that an operator can fix. Its message has one or two sentences: what is wrong and what to do. */
export class StackError extends Error {
  override name = 'StackError';
}
