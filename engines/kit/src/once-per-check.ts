/**
 * Reads what a backend tells under a key once for all that ask with the same signal, as all routes of one check do: a failure
 * is told to all of them too. With another signal it is read anew.
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
