import { useEffect, useState } from 'react';
import { RenderkitError } from 'renderkit/errors';

const updateMs = 500;

/** Returns the seconds until a refused request may be sent again, from its Retry-After header. Counts down to 0. */
export function useRetryCountdown(error: unknown): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const seconds = RenderkitError.is(error) ? (error.retryAfter ?? 0) : 0;
    setLeft(seconds);
    if (seconds === 0) return undefined;
    const until = performance.now() + seconds * 1_000;
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((until - performance.now()) / 1_000));
      setLeft(rest);
      if (rest === 0) clearInterval(timer);
    }, updateMs);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
