import type { ServerResponse } from 'node:http';
import { ApiProblem } from '../problems/api-problem.ts';

/** Bodies larger than ordinary ones that are in memory at once, in this process: from the first byte to the answer. */
export const largeBodiesAtOnce = 3;
/** How long a large body waits for its turn, its bytes still with the client. */
const waitMs = 120_000;
const retrySeconds = 5;

export type LargeBodies = {
  /**
   * Waits for a place; what it gives back is to be called on leaving, once or more often.
   * @throws ApiProblem rate_limited where none comes free in time
   */
  enter: (response: ServerResponse) => Promise<() => void>;
};

type Waiting = { start: () => void };

/** Lets so many large bodies in at once; the others wait in line, first come first served. */
export function createLargeBodies(places = largeBodiesAtOnce, patienceMs = waitMs): LargeBodies {
  let inside = 0;
  let line: Waiting[] = [];
  const leaver = () => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = line.shift();
      // The place goes on to the next in line.
      if (next === undefined) inside--;
      else next.start();
    };
  };
  return {
    enter: async (response) => {
      if (inside < places) {
        inside++;
        return leaver();
      }
      await new Promise<void>((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          response.off('close', onGone);
          line = line.filter((other) => other !== mine);
        };
        const mine = {
          start: () => {
            end();
            resolve();
          },
        };
        const onGone = () => {
          end();
          reject(crowded());
        };
        const timer = setTimeout(onGone, patienceMs);
        response.once('close', onGone);
        line.push(mine);
      });
      return leaver();
    },
  };
}

function crowded(): ApiProblem {
  return new ApiProblem('rate_limited', {
    detail: 'Too many large requests are under way.',
    retryAfterSeconds: retrySeconds,
  });
}
