import type { ServerResponse } from 'node:http';
import { largeJsonBodyBytes } from '@renderkit/contract/v1/limits.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/**
 * The most bytes of large bodies in this process: three of the largest size. Each counts from before its first byte
 * until its answer.
 */
const capacityBytes = 3 * largeJsonBodyBytes;
/** The longest time that a large body waits for its turn. Its bytes stay with the client meanwhile. */
const patienceMs = 120_000;
const retrySeconds = { min: 5, max: 600 };
/**
 * A body is refused when its estimated wait exceeds the patience this many times. The estimate uses the recent pace,
 * and only after `leftBeforeAGuess` bodies.
 */
const hopelesslyLate = 2;
const leftBeforeAGuess = 3;

export type LargeBodies = {
  /**
   * Waits for capacity for `bytes`. The caller must call the result when the body is done; further calls do nothing.
   * @throws ApiProblem rate_limited when no capacity is free in time, as soon as this is foreseeable
   */
  enter: (accountId: string, bytes: number, response: ServerResponse) => Promise<() => void>;
};

type Waiting = { bytes: number; since: number; start: () => void; refuse: (afterMs: number) => void };
type Account = {
  bytesInside: number;
  /** First come, first served. */
  line: Waiting[];
  /** The recent pace of all its bodies together. */
  msPerByte: number;
  left: number;
  lastLeftAt: number;
};

/**
 * Admits a limited number of bytes of large bodies at once. Accounts take turns, those without an admitted body first.
 * No account gets all the capacity: a body of the largest size always fits in addition to those of one account. When a
 * body's turn cannot come in time, judging by the account's recent bodies, it is refused at once.
 */
export function createLargeBodies(
  capacity = capacityBytes,
  patience = patienceMs,
  now = () => performance.now(),
): LargeBodies {
  const perAccount = capacity - largeJsonBodyBytes;
  // In the order of their turns: an account moves to the end when its body is admitted or done.
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
      // A large body keeps its turn: smaller bodies do not overtake it.
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

/**
 * Waits for the first of these: capacity, the client's disconnect, the end of the patience, or a refusal because
 * waiting is useless.
 */
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

/**
 * Measures from when the last body was done, or from this body's entry when the account had no other body meanwhile.
 */
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

/** Estimates the time until the bodies before it are done, at the recent pace. */
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
