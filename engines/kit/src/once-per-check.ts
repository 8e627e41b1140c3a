/**
 * Wraps `read` so that all callers with the same key and the same signal share one reading, such as all routes of one
 * check. They share a failure too. Another signal reads again.
 */
export function oncePerCheck<Value>(
  read: (key: string, signal: AbortSignal) => Promise<Value>,
): (key: string, signal: AbortSignal) => Promise<Value> {
  const checks = new WeakMap<AbortSignal, Map<string, Promise<Value>>>();
  return (key, signal) => {
    const known = checks.get(signal) ?? new Map<string, Promise<Value>>();
    checks.set(signal, known);
    const reading = known.get(key) ?? read(key, signal);
    known.set(key, reading);
    return reading;
  };
}
