import assert from 'node:assert/strict';
import test from 'node:test';
import type { SeenGeneration } from './evidence.ts';
import { type Evidence, findBreaches } from './invariants.ts';
import type { Arrival } from './receiver.ts';

test('a clean run has no breach', () => {
  assert.deepEqual(findBreaches(cleanRun()), []);
});

// A checker that finds nothing proves nothing. So each invariant is broken once, and the checker must name it.
const broken: [invariant: string, what: string, break_: (run: Evidence) => void][] = [
  ['I1', 'an accepted generation is gone', (run) => run.generations[0]?.shift()],
  ['I1', 'an accepted generation never ends', (run) => (first(run).status = 'running')],
  [
    'I2',
    'one idempotency key has two generations',
    (run) => run.history.creates[0]?.acceptedIds.push('gen_2'),
  ],
  ['I2', 'one request became two generations', (run) => (second(run).metadata = { n: '0' })],
  ['I2', 'a success was charged twice', (run) => (moneyOf(run, 'gen_1').charged = 8000)],
  ['I2', 'a failure was not refunded', (run) => (moneyOf(run, 'gen_2').refunded = 0)],
  ['I3', 'the studio has a token twice', (run) => run.studio.renders.push({ ...run.studio.renders[0]! })],
  [
    'I4',
    'the studio rendered what nobody sees',
    (run) => run.studio.renders.push({ accountId: 'a', token: 'gen_9', status: 'succeeded', lane: 'image' }),
  ],
  ['I4', 'a generation appears that nobody asked for', (run) => (first(run).metadata = { n: '77' })],
  [
    'I4',
    'a refused request left a generation',
    (run) => (run.history.creates[0]!.refusal = { status: 402, code: 'insufficient_credits' }),
  ],
  ['I5', 'a key spent more than its budget', (run) => (run.budgets = [[3]])],
  [
    'I6',
    'two ran in a lane of one',
    (run) =>
      run.studio.moves.splice(1, 0, {
        accountId: 'a',
        seq: 2,
        token: 'gen_2',
        status: 'queued',
        lane: 'image',
      }),
  ],
  [
    'I9',
    'a final status changed',
    (run) => run.history.observations.push({ id: 'gen_1', status: 'failed', at: 1 }),
  ],
  ['I9', 'it ended before it began', (run) => (first(run).completed_at = '2026-01-01T00:00:00.000Z')],
  ['I9', 'a success has no output', (run) => (first(run).outputs = [])],
  [
    'I10',
    'the ledger does not add up',
    (run) => run.studio.unbalanced.push({ accountId: 'a', bucket: 'monthly', balance: 1, sum: 2 }),
  ],
  ['I10', 'a reservation is left over', (run) => (run.balances[0]!.credits = 92)],
  ['I11', 'a canceled generation was rendered', (run) => (third(run).id = 'gen_1')],
  ['I11', 'a cancel that was confirmed did not last', (run) => (third(run).status = 'succeeded')],
  ['I7', 'an outcome has no event', (run) => run.arrivals.shift()],
  ['I7', 'an outcome has two events', (run) => run.arrivals.push({ ...arrivalOf(run), eventId: 'evt_9' })],
  ['I7', 'the event tells another outcome', (run) => (arrivalOf(run).type = 'generation.failed')],
  ['I7', 'an event tells of a cancel', (run) => (arrivalOf(run).subjectId = 'gen_3')],
  ['I7', "an account was told of another's generation", (run) => (arrivalOf(run).subjectId = 'gen_9')],
  ['I8', 'a delivery was never taken', (run) => (arrivalOf(run).status = 500)],
  [
    'I8',
    'an event came under two ids',
    (run) => run.arrivals.push({ ...arrivalOf(run), deliveryId: 'dlv_9' }),
  ],
  [
    'I8',
    'the bytes changed between attempts',
    (run) => run.arrivals.push({ ...arrivalOf(run), digest: 'other' }),
  ],
  ['I7', 'nobody was told of an upload', (run) => run.arrivals.pop()],
  ['I12', 'a job has no row', (run) => run.jobs.push({ life: '1', id: 'sub_9', again: false })],
  ['I12', 'a job came twice to one ComfyUI', (run) => run.jobs.push({ ...run.jobs[0]! })],
  ['I12', 'a job came again after it was made', (run) => (run.jobs[0]!.again = true)],
  ['I12', 'a result has no job', (run) => run.jobs.shift()],
  ['I12', 'a submission never ends', (run) => (run.studio.submissions[0]!.state = 'lost')],
  [
    'I12',
    'one image was made twice',
    (run) => {
      run.jobs.push({ life: '1', id: 'sub_2', again: false });
      run.studio.submissions.push({ ...run.studio.submissions[0]!, id: 'sub_2' });
    },
  ],
  ['I13', 'a job is not booked', (run) => (run.studio.providerCosts.jobs = 0)],
  ['I13', 'a job is booked twice', (run) => (run.studio.providerCosts.spent = 0.002)],
  [
    'I13',
    'money stays set aside',
    (run) => (run.studio.providerCosts = { reserved: 0.001, spent: 0, jobs: 1 }),
  ],
  ['I8', 'a signature is wrong', (run) => (arrivalOf(run).genuine = false)],
];

for (const [invariant, what, break_] of broken) {
  test(`${invariant} is broken when ${what}`, () => {
    const run = cleanRun();
    break_(run);
    const breaches = findBreaches(run);
    assert.ok(
      breaches.some((breach) => breach.startsWith(`${invariant}:`)),
      `expected ${invariant} in ${JSON.stringify(breaches)}`,
    );
  });
}

function cleanRun(): Evidence {
  return {
    history: {
      creates: [0, 1, 2].map((number) => ({
        accountIndex: 0,
        keyIndex: 0,
        number,
        idempotencyKey: `chaos-${number}`,
        acceptedIds: [`gen_${number + 1}`],
        interruptions: 0,
      })),
      observations: [
        { id: 'gen_1', status: 'running', at: 0 },
        { id: 'gen_1', status: 'succeeded', at: 0.5 },
      ],
      canceled: new Set(['gen_3']),
      uploads: [{ accountIndex: 0, id: 'upl_1' }],
      surprises: [],
      acceptedAt: new Map(),
    },
    generations: [
      [
        generation('gen_1', 'succeeded', '0'),
        generation('gen_2', 'failed', '1'),
        generation('gen_3', 'canceled', '2'),
      ],
    ],
    balances: [{ credits: 96, studioAccountId: 'a' }],
    budgets: [[null]],
    studio: {
      money: new Map([
        ['gen_1', { charged: 4000, refunded: 0, charges: 1 }],
        ['gen_2', { charged: 4000, refunded: 4000, charges: 1 }],
      ]),
      renders: [
        { accountId: 'a', token: 'gen_1', status: 'succeeded', lane: 'image' },
        { accountId: 'a', token: 'gen_2', status: 'failed', lane: 'image' },
      ],
      moves: [
        { accountId: 'a', seq: 1, token: 'gen_1', status: 'queued', lane: 'image' },
        { accountId: 'a', seq: 3, token: 'gen_1', status: 'succeeded', lane: 'image' },
        { accountId: 'a', seq: 4, token: 'gen_2', status: 'queued', lane: 'image' },
        { accountId: 'a', seq: 5, token: 'gen_2', status: 'failed', lane: 'image' },
      ],
      limits: new Map([['a', { image: 1, edit: 1, video: 1, overall: 2 }]]),
      unbalanced: [],
      balances: new Map([['a', 96_000]]),
      submissions: [{ id: 'sub_1', token: 'gen_1', state: 'done', error: null, cost: 0.001, made: 1 }],
      providerCosts: { reserved: 0, spent: 0.001, jobs: 1 },
    },
    arrivals: [
      arrival('gen_1', 'generation.succeeded'),
      arrival('gen_2', 'generation.failed'),
      arrival('upl_1', 'upload.ready'),
    ],
    endpointsPerAccount: 1,
    jobs: [{ life: '1', id: 'sub_1', again: false }],
  };
}

function arrival(subjectId: string, type: string): Arrival {
  return {
    accountIndex: 0,
    endpointIndex: 0,
    eventId: `evt_of_${subjectId}`,
    deliveryId: `dlv_of_${subjectId}`,
    type,
    subjectId,
    digest: 'same',
    genuine: true,
    status: 204,
  };
}

function arrivalOf(run: Evidence): Arrival {
  return run.arrivals[0]!;
}

function generation(id: string, status: string, n: string): SeenGeneration {
  return {
    id,
    status,
    cost: { credits: 4 },
    metadata: { n },
    outputs: status === 'succeeded' ? [{}] : [],
    error: null,
    created_at: '2026-11-01T10:00:00.000Z',
    submitted_at: status === 'canceled' ? null : '2026-11-01T10:00:00.100Z',
    completed_at: '2026-11-01T10:00:01.000Z',
  };
}

function first(run: Evidence): SeenGeneration {
  return run.generations[0]![0]!;
}

function second(run: Evidence): SeenGeneration {
  return run.generations[0]![1]!;
}

function third(run: Evidence): SeenGeneration {
  return run.generations[0]![2]!;
}

function moneyOf(run: Evidence, token: string): { charged: number; refunded: number } {
  return run.studio.money.get(token)!;
}
