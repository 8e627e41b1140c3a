/** Levels of objects and of causes that a line shows. */
const maxDepth = 5;

/**
 * Reduces what a log call was given to plain data. Errors become their type, message, code, stack and cause; any
 * other object with a class of its own becomes its name: pg hangs its connection, with password and cancel key, on
 * errors, and a line would write out all of it.
 */
export function toLogValue(value: unknown, depth = maxDepth): unknown {
  if (typeof value === 'function') return `[${value.name}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return describeError(value, depth);
  if (Array.isArray(value))
    return depth === 0 ? '[Array]' : value.map((entry) => toLogValue(entry, depth - 1));
  if (!isPlain(value)) return `[${value.constructor?.name ?? 'Object'}]`;
  return depth === 0 ? '[Object]' : toLogValues(value, depth - 1);
}

/** The same for each value of a plain object. */
export function toLogValues(values: object, depth = maxDepth): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toLogValue(value, depth)]));
}

function describeError(error: Error, depth: number): object {
  const { message, stack, code } = error as Error & { code?: unknown };
  // The parts of an AggregateError are why it happened, and often all that it says.
  const cause = error.cause ?? (error instanceof AggregateError ? error.errors : undefined);
  return {
    type: error.constructor.name,
    message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    stack,
    ...(cause !== undefined && depth > 0 && { cause: toLogValue(cause, depth - 1) }),
  };
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
