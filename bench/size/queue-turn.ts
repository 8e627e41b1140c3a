import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { claimGenerations } from '@renderkit/service/generations/dispatch/store.ts';
import { toRunning } from '@renderkit/service/generations/settle/compose-transition.ts';
import { Settlement } from '@renderkit/service/generations/settle/settlement.ts';
import { insertQueued } from './rows.ts';

/** In milliseconds. */
export type QueueTimes = { claim: number[]; settle: number[] };

const owner = 'svc_bench';
const leaseMs = 60_000;

/**
 * Claims what may start, marks it as running, settles each, and puts as many back into the queue, so that the queue
 * keeps its length. Uses the service's own statements; only the claim and the settles are timed.
 */
export async function queueTurn(database: Database, accountId: string): Promise<QueueTimes> {
  const settlement = new Settlement({
    database,
    owner,
    leaseMs,
    announcer: { announce: () => undefined },
  });
  const settle: number[] = [];
  const begin = performance.now();
  const { claims } = await claimGenerations(database, {
    accountIds: [accountId],
    owner,
    leaseMs,
    skipLocked: false,
    atMost: 1_000,
  });
  const claim = [performance.now() - begin];
  if (claims.length === 0) throw new Error('nothing could be claimed');
  for (const { id } of claims)
    await settlement.transition(toRunning({ id, account_id: accountId }, renderOf(id, 'running')));
  for (const { id } of claims) {
    const settleBegin = performance.now();
    await settlement.apply([{ accountId, render: renderOf(id, 'succeeded') }]);
    settle.push(performance.now() - settleBegin);
  }
  await insertQueued(database, { accountId, count: claims.length });
  return { claim, settle };
}

function renderOf(token: string, status: Render['status']): Render {
  const ended = status === 'succeeded';
  return {
    token,
    render_id: `rnd_${token}`,
    kind: 'image',
    status,
    prompt_id: `prm_${token}`,
    project_id: 'prj_bench',
    cost_millicredits: 4_000,
    ledger_seq: 2,
    expected_outputs: 1,
    outputs: ended
      ? [
          {
            id: `out_${token}`,
            type: 'image',
            url: 'https://studio.example/media/picture.png',
            thumb_url: null,
            width: 1024,
            height: 1024,
            duration: null,
            nsfw: false,
            request_id: 1,
          },
        ]
      : [],
    error: null,
    accepted_at: '2026-11-21T09:30:00.000Z',
    completed_at: ended ? '2026-11-21T09:30:00.500Z' : null,
  };
}
