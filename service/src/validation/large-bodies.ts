import type { ServerResponse } from 'node:http';
import { largeJsonBodyBytes } from '@renderkit/contract/v1/limits.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/** Bytes of large bodies in this process, each from before its first byte until its answer: three of the largest. */
const capacityBytes = 3 * largeJsonBodyBytes;
/** How long a large body waits for its turn at most, its bytes still with the client. */
const patienceMs = 120_000;
const retrySeconds = { min: 5, max: 600 };
/** A turn this many times too late is not waited for: the pace of late is only a guess, and the first ones are no pace. */
const hopelesslyLate = 2;
const leftBeforeAGuess = 3;

export type LargeBodies = {
  /**
   * Waits for capacity for so many bytes; what it gives back is to be called on leaving, once or more often.
   * @throws ApiProblem rate_limited where none comes free in time, as soon as that can be told
   */
  enter: (accountId: string, bytes: number, response: ServerResponse) => Promise<() => void>;
};

type Waiting = { bytes: number; since: number; start: () => void; refuse: (afterMs: number) => void };
type Account = {
  bytesInside: number;
  /** First come, first served. */
  line: Waiting[];
  /** How fast its bodies have come and gone lately, all of them together. */
  msPerByte: number;
  left: number;
  lastLeftAt: number;
};

/**
 * Lets so many bytes of large bodies in at once. Accounts take turns, those with nothing inside first, and none has all
 * the capacity: a body of the largest size always fits beside those of one account. One whose turn cannot come in time, going
 * by how its account's others fare, is refused at once instead of in the end.
 */
export function createLargeBodies(
  capacity = capacityBytes,
  patience = patienceMs,
  now = () => performance.now(),
): LargeBodies {
  const perAccount = capacity - largeJsonBodyBytes;
  // In the order of their turns: whoever was let in, or has left, goes to the end.
  const accounts = new Map<string, Account>();
  let bytesInside = 0;
  const toEnd = (accountId: string, account: Account) => {
    accounts.delete(accountId);
    if (account.bytesInside > 0 || account.line.length > 0) accounts.set(accountId, account);
  };
  const letIn = () => {
    for (;;) {
      const able = [...accounts].filter(([, account]) => mayBeNext(account, perAccount));
      const next = able.find(([, account]) => account.bytesInside === 0) ?? able[0];
      const waiting = next?.[1].line[0];
      // A large one whose turn it is keeps its turn: smaller ones do not pass it.
      if (next === undefined || waiting === undefined || bytesInside + waiting.bytes > capacity) return;
      const [accountId, account] = next;
      account.line.shift();
      account.bytesInside += waiting.bytes;
      bytesInside += waiting.bytes;
      toEnd(accountId, account);
      waiting.start();
    }
  };
  return {
    enter: async (accountId, bytes, response) => {
      const account = accounts.get(accountId) ?? newAccount();
      accounts.set(accountId, account);
      await new Promise<void>((resolve, reject) => {
        const waiting = standInLine(
          account,
          { bytes, patience, response, since: now() },
          resolve,
          (problem) => {
            account.line = account.line.filter((other) => other !== waiting);
            if (account.bytesInside === 0 && account.line.length === 0) accounts.delete(accountId);
            reject(problem);
          },
        );
        refuseHopeless(account, patience, now());
        letIn();
      });
      const enteredAt = now();
      let left = false;
      return () => {
        if (left) return;
        left = true;
        bytesInside -= bytes;
        account.bytesInside -= bytes;
        noteSpeed(account, { bytes, enteredAt, leftAt: now() });
        toEnd(accountId, account);
        refuseHopeless(account, patience, now());
        letIn();
      };
    },
  };
}

function newAccount(): Account {
  return { bytesInside: 0, line: [], msPerByte: 0, left: 0, lastLeftAt: 0 };
}

function mayBeNext({ bytesInside, line: [first] }: Account, perAccount: number): boolean {
  return first !== undefined && (bytesInside === 0 || bytesInside + first.bytes <= perAccount);
}

/** Whatever comes first: capacity, its client's going, the end of patience, or the word that waiting is in vain. */
function standInLine(
  account: Account,
  {
    bytes,
    patience,
    response,
    since,
  }: { bytes: number; patience: number; response: ServerResponse; since: number },
  onRoom: () => void,
  onRefusal: (problem: ApiProblem) => void,
): Waiting {
  const end = () => {
    clearTimeout(timer);
    response.off('close', giveUp);
  };
  const waiting: Waiting = {
    bytes,
    since,
    start: () => {
      end();
      onRoom();
    },
    refuse: (afterMs) => {
      end();
      onRefusal(crowded(afterMs));
    },
  };
  const giveUp = () => waiting.refuse(msUntilTurn(account, waiting));
  const timer = setTimeout(giveUp, patience);
  response.once('close', giveUp);
  account.line.push(waiting);
  return waiting;
}

/** From the last that left, or from its own entry where the account had no body inside meanwhile. */
function noteSpeed(
  account: Account,
  { bytes, enteredAt, leftAt }: { bytes: number; enteredAt: number; leftAt: number },
): void {
  const msPerByte = (leftAt - Math.max(account.lastLeftAt, enteredAt)) / bytes;
  account.msPerByte = account.left === 0 ? msPerByte : (account.msPerByte + msPerByte) / 2;
  account.left++;
  account.lastLeftAt = leftAt;
}

function refuseHopeless(account: Account, patience: number, now: number): void {
  if (account.left < leftBeforeAGuess) return;
  for (const waiting of account.line.toReversed()) {
    const untilTurn = msUntilTurn(account, waiting);
    if (now - waiting.since + untilTurn > patience * hopelesslyLate) waiting.refuse(untilTurn);
  }
}

/** Until those before it have left, at the pace of late. */
function msUntilTurn({ bytesInside, line, msPerByte }: Account, waiting: Waiting): number {
  let before = bytesInside;
  for (const other of line) {
    if (other === waiting) break;
    before += other.bytes;
  }
  return before * msPerByte;
}

function crowded(afterMs: number): ApiProblem {
  const seconds = Math.ceil(afterMs / 1_000);
  return new ApiProblem('rate_limited', {
    detail: 'Too many large requests are under way.',
    retryAfterSeconds: Math.min(Math.max(seconds, retrySeconds.min), retrySeconds.max),
  });
}
