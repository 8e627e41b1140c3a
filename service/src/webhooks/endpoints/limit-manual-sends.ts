import { maxPingsPerMinute, maxResendsPerMinute } from '@renderkit/contract/v1/limits.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { insertManualSend, lockAccount, type ManualSendWaits, selectManualSendWaits } from './store.ts';

/** A delivery that a person requests. A test that is sent again is a `ping` too. */
export type ManualSend = { kind: 'ping' | 'resend'; accountId: string; endpointId: string };

const limits = { ping: maxPingsPerMinute, resend: maxResendsPerMinute } as const;
const nouns = { ping: 'test deliveries', resend: 'resends' } as const;

/**
 * Counts a manual delivery in the transaction that writes it (decision 0016). The limit exists because nobody has
 * proved to own the target address. The window slides by the database's clock, and the account's lock serializes
 * parallel requests.
 * @throws ApiProblem `rate_limited` with the seconds until the next one is allowed
 */
export async function limitManualSends(transaction: Transaction, send: ManualSend): Promise<void> {
  // A separate statement, so that the next one reads counts and time while the lock is held.
  await lockAccount(transaction, send.accountId);
  refuse(send.kind, await selectManualSendWaits(transaction, send, limits[send.kind]));
  await insertManualSend(transaction, send);
}

/**
 * Refuses a delivery above the limit before a transaction and its locks, so that a flood costs one short statement
 * each. Does not count the delivery.
 * @throws ApiProblem `rate_limited`
 */
export async function precheckManualSends(database: Database, send: ManualSend): Promise<void> {
  refuse(send.kind, await selectManualSendWaits(database, send, limits[send.kind]));
}

function refuse(kind: ManualSend['kind'], { endpoint, account }: ManualSendWaits): void {
  if (endpoint === null && account === null) return;
  const waitSeconds = Math.max(1, Math.ceil(Math.max(endpoint ?? 0, account ?? 0)));
  const [whose, count] =
    (endpoint ?? 0) >= (account ?? 0)
      ? ['This endpoint', limits[kind].endpoint]
      : ['The endpoints of this account', limits[kind].account];
  throw new ApiProblem('rate_limited', {
    detail: `${whose} can have ${count} ${nouns[kind]} a minute. The next one can be sent in ${waitSeconds} s.`,
    retryAfterSeconds: waitSeconds,
  });
}
