import type { ServerResponse } from 'node:http';
import { ApiProblem } from '../problems/api-problem.ts';

/** Bodies larger than ordinary ones that are in memory at once, in this process: from the first byte to the answer. */
export const largeBodiesAtOnce = 3;
/** Of one account: it never holds all places, however slowly its bodies come. */
const perAccount = 1;
/** How long a large body waits for its turn, its bytes still with the client. */
const waitMs = 120_000;
const retrySeconds = 5;

export type LargeBodies = {
  /**
   * Waits for a place; what it gives back is to be called on leaving, once or more often.
   * @throws ApiProblem rate_limited where none comes free in time
   */
  enter: (accountId: string, response: ServerResponse) => Promise<() => void>;
};

type Account = { inside: number; line: (() => void)[] };

/** Lets so many large bodies in at once; of the others, accounts take turns, and within one the first comes first. */
export function createLargeBodies(places = largeBodiesAtOnce, patienceMs = waitMs): LargeBodies {
  let inside = 0;
  // In the order of their turns: whoever was let in, or has left, goes to the end.
  const accounts = new Map<string, Account>();
  const toEnd = (accountId: string, account: Account) => {
    accounts.delete(accountId);
    if (account.inside > 0 || account.line.length > 0) accounts.set(accountId, account);
  };
  const letIn = () => {
    while (inside < places) {
      const next = [...accounts].find(([, one]) => one.line.length > 0 && one.inside < perAccount);
      if (next === undefined) return;
      const [accountId, account] = next;
      inside++;
      account.inside++;
      toEnd(accountId, account);
      account.line.shift()?.();
    }
  };
  return {
    enter: async (accountId, response) => {
      const account = accounts.get(accountId) ?? { inside: 0, line: [] };
      accounts.set(accountId, account);
      await new Promise<void>((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          response.off('close', onGone);
        };
        const start = () => {
          end();
          resolve();
        };
        const onGone = () => {
          end();
          account.line = account.line.filter((other) => other !== start);
          if (account.inside === 0 && account.line.length === 0) accounts.delete(accountId);
          reject(crowded());
        };
        const timer = setTimeout(onGone, patienceMs);
        response.once('close', onGone);
        account.line.push(start);
        letIn();
      });
      let left = false;
      return () => {
        if (left) return;
        left = true;
        inside--;
        account.inside--;
        toEnd(accountId, account);
        letIn();
      };
    },
  };
}

function crowded(): ApiProblem {
  return new ApiProblem('rate_limited', {
    detail: 'Too many large requests are under way.',
    retryAfterSeconds: retrySeconds,
  });
}
