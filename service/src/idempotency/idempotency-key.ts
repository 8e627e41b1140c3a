import { idempotencyWaitSeconds } from '@renderkit/contract/v1/limits.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/** Lets one request at a time do the work of an Idempotency-Key of an account, within this process. */
export type Flights = {
  /**
   * What `lookUp` finds of an earlier request; else what `work` makes, once no other of the same name is under way.
   * @throws ApiProblem `upstream_unavailable` with Retry-After 1 after ten seconds of waiting
   */
  share: <T>(
    flight: { accountId: string; idempotencyKey: string },
    lookUp: () => Promise<T | undefined>,
    work: () => Promise<T>,
  ) => Promise<T>;
};

export function createFlights(waitMs: number = idempotencyWaitSeconds * 1000): Flights {
  const flights = new Map<string, Promise<unknown>>();
  return {
    share: async ({ accountId, idempotencyKey }, lookUp, work) => {
      const name = `${accountId} ${idempotencyKey}`;
      const givenUpAt = performance.now() + waitMs;
      for (;;) {
        const other = flights.get(name);
        if (other !== undefined && !(await endsWithin(other, givenUpAt - performance.now())))
          throw new ApiProblem('upstream_unavailable', {
            detail: 'Another request with this Idempotency-Key is still under way.',
            retryAfterSeconds: 1,
          });
        const earlier = await lookUp();
        if (earlier !== undefined) return earlier;
        if (flights.has(name)) continue;
        const mine = work();
        flights.set(name, mine);
        try {
          return await mine;
        } finally {
          flights.delete(name);
        }
      }
    },
  };
}

async function endsWithin(flight: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), false);
  });
  const ended = flight.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
