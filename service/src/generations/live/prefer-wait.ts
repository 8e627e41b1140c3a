import { headers } from '@renderkit/contract/v1/headers.ts';
import { maxWaitSeconds } from '@renderkit/contract/v1/limits.ts';
import { type HandlerContext, RawReply } from '../../http/handler.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { LongPolls } from './long-polls.ts';

/**
 * Answers a create whose client prefers to wait (docs/api.md §4): the 202 contains the generation at its end, or when
 * the time is up. A replayed answer is unchanged, and where the client may not wait the answer comes at once.
 */
export async function holdBack(
  longPolls: Pick<LongPolls, 'wait'>,
  accepted: RawReply,
  request: Pick<HandlerContext, 'principal' | 'headers' | 'signal'>,
): Promise<RawReply> {
  const { principal } = request;
  const seconds = preferredSeconds(request.headers[headers.prefer.toLowerCase()]);
  const isReplay = accepted.headers?.[headers.idempotentReplayed] !== undefined;
  if (seconds === 0 || isReplay) return accepted;
  const { id } = JSON.parse(String(accepted.text)) as { id: string };
  try {
    const { text, closing } = await longPolls.wait({
      id,
      accountId: principal.account.id,
      keyId: principal.key.id,
      seconds,
      gone: () => request.signal,
    });
    return new RawReply(accepted.status, text, {
      [headers.preferenceApplied]: `wait=${seconds}`,
      ...(closing && { connection: 'close' }),
    });
  } catch (error) {
    // Too many requests wait, or the key was revoked meanwhile. The generation is accepted, and the client needs its
    // id.
    if (error instanceof ApiProblem) return accepted;
    throw error;
  }
}

const wait = /^wait\s*=\s*"?(\d{1,9})"?(?:\s*;.*)?$/i;

/**
 * Returns the seconds to wait by RFC 7240: the first `wait` counts and unreadable preferences are ignored. 0 where none
 * is preferred.
 */
function preferredSeconds(prefer: string | string[] | undefined): number {
  for (const preference of [prefer].flat().flatMap((line) => line?.split(',') ?? [])) {
    const [, seconds] = wait.exec(preference.trim()) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), maxWaitSeconds);
  }
  return 0;
}
