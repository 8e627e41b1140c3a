/** The maximum depth of nested objects and causes in a line. */
const maxDepth = 5;

/**
 * Reduces the values of a log call to plain data. Errors become their type, message, code, stack and cause. Any other
 * object with its own class becomes the name of the class. Reason: pg attaches its connection to errors, with the
 * password and the cancel key, and a log line would contain all of it.
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

/** Applies `toLogValue` to each value of a plain object. */
export function toLogValues(values: object, depth = maxDepth): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toLogValue(value, depth)]));
}

function describeError(error: Error, depth: number): object {
  const { message, stack, code } = error as Error & { code?: unknown };
  // The errors inside an AggregateError are its cause, and often its only information.
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
