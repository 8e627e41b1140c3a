// Checks a run only by outside evidence: what clients saw, what the API returns at rest, and the studio's own database.
// The numbers are those of the fault model in docs/reliability.md.

import type { TakenJob } from './comfyui.ts';
import type { SeenGeneration, StudioEvidence } from './evidence.ts';
import type { History } from './history.ts';
import type { Arrival } from './receiver.ts';

export type Evidence = {
  history: History;
  /** Per account of the load, in its order. */
  generations: SeenGeneration[][];
  /** Per account: spendable credits from the API, and the account's id at the studio. */
  balances: { credits: number; studioAccountId: string }[];
  /** Per account and key: the daily budget in credits. */
  budgets: (number | null)[][];
  studio: StudioEvidence;
  /** Requests that came to the webhook endpoints. */
  arrivals: Arrival[];
  /** Number of endpoints of each account; each endpoint is subscribed to every type. */
  endpointsPerAccount: number;
  /** The jobs that the ComfyUI accepted. */
  jobs: TakenJob[];
};

const final = new Set(['succeeded', 'failed', 'canceled']);
/** A status and the statuses that may be seen after it. */
const mayFollow: Record<string, readonly string[]> = {
  queued: ['queued', 'running', 'succeeded', 'failed', 'canceled'],
  running: ['running', 'succeeded', 'failed'],
  succeeded: ['succeeded'],
  failed: ['failed'],
  canceled: ['canceled'],
};

/** Returns every violation as a sentence that begins with the invariant's number; none when all is well. */
export function findBreaches(evidence: Evidence): string[] {
  return [
    ...evidence.history.surprises.map((surprise) => `surprise: ${surprise}`),
    ...acceptedStayReadableAndEnd(evidence),
    ...oneGenerationPerKeyAndCharge(evidence),
    ...noPhantoms(evidence),
    ...budgetsHold(evidence),
    ...limitsHold(evidence.studio),
    ...eventsArriveOnce(evidence),
    ...deliveriesKeepTheirIds(evidence),
    ...transitionsAreLegal(evidence),
    ...booksBalance(evidence),
    ...canceledIsUnseen(evidence),
    ...jobsAreSubmissions(evidence),
    ...providersAreBooked(evidence.studio),
  ];
}

function acceptedStayReadableAndEnd({ history, generations }: Evidence): string[] {
  const seen = byId(generations);
  return history.creates
    .flatMap(({ acceptedIds }) => acceptedIds)
    .flatMap((id) => {
      const status = seen.get(id)?.status;
      if (status === undefined) return [`I1: ${id} was accepted and is not listed`];
      return final.has(status) ? [] : [`I1: ${id} is still ${status}`];
    });
}

function oneGenerationPerKeyAndCharge({ history, generations, studio }: Evidence): string[] {
  const breaches: string[] = [];
  for (const create of history.creates)
    if (create.acceptedIds.length > 1)
      breaches.push(`I2: ${create.idempotencyKey} was answered with ${create.acceptedIds.join(' and ')}`);
  for (const list of generations) {
    const numbers = new Map<string, string>();
    for (const { id, metadata, cost, status } of list) {
      const other = numbers.get(metadata['n'] ?? '');
      if (other !== undefined) breaches.push(`I2: request ${metadata['n']} became both ${other} and ${id}`);
      numbers.set(metadata['n'] ?? '', id);
      const money = studio.money.get(id) ?? { charged: 0, refunded: 0 };
      const net = money.charged - money.refunded;
      const owed = status === 'succeeded' ? Math.round(cost.credits * 1000) : 0;
      if (net !== owed)
        breaches.push(`I2: ${id} (${status}) was charged ${net} millicredits net instead of ${owed}`);
    }
  }
  const tokens = new Set<string>();
  for (const { token } of studio.renders) {
    if (tokens.has(token)) breaches.push(`I3: the studio has ${token} twice`);
    tokens.add(token);
  }
  return breaches;
}

function noPhantoms({ history, generations, studio }: Evidence): string[] {
  const seen = byId(generations);
  const breaches = studio.renders
    .filter(({ token, status }) => status !== 'barred' && !seen.has(token))
    .map(({ token }) => `I4: the studio rendered ${token}, which the API does not list`);
  generations.forEach((list, accountIndex) => {
    for (const { id, metadata } of list) {
      const create = history.creates[Number(metadata['n'])];
      if (create === undefined || create.accountIndex !== accountIndex)
        breaches.push(`I4: nobody asked for ${id}`);
      // The generation is listed although its client was finally refused. Only a lost answer could explain this, and
      // there was none.
      else if (create.refusal !== undefined && create.interruptions === 0)
        breaches.push(`I4: ${id} exists though its request was refused with ${create.refusal.code}`);
    }
  });
  return breaches;
}

function budgetsHold({ history, generations, budgets }: Evidence): string[] {
  const spent = new Map<string, number>();
  generations.forEach((list, accountIndex) => {
    for (const { metadata, status, cost, created_at } of list) {
      const create = history.creates[Number(metadata['n'])];
      if (create === undefined || status === 'failed' || status === 'canceled') continue;
      const day = `${accountIndex}/${create.keyIndex}/${created_at.slice(0, 10)}`;
      spent.set(day, (spent.get(day) ?? 0) + cost.credits);
    }
  });
  return [...spent].flatMap(([day, credits]) => {
    const [account, key] = day.split('/').map(Number);
    const budget = budgets[account as number]?.[key as number];
    return budget != null && credits > budget
      ? [`I5: key ${key} of account ${account} spent ${credits} of ${budget}`]
      : [];
  });
}

function limitsHold(studio: StudioEvidence): string[] {
  const breaches: string[] = [];
  const active = new Map<string, Map<string, string>>();
  for (const { accountId, token, status, lane } of studio.moves) {
    const mine = active.get(accountId) ?? new Map<string, string>();
    active.set(accountId, mine);
    if (final.has(status)) mine.delete(token);
    else mine.set(token, lane);
    const limits = studio.limits.get(accountId);
    if (limits === undefined) continue;
    const runningInLane = [...mine.values()].filter((other) => other === lane).length;
    if (runningInLane > limits[lane as 'image'] || mine.size > limits.overall)
      breaches.push(
        `I6: ${runningInLane} in lane ${lane}, ${mine.size} in all for ${accountId} after ${token}`,
      );
  }
  return breaches;
}

function eventsArriveOnce(evidence: Evidence): string[] {
  const { generations, endpointsPerAccount, history } = evidence;
  const arrivals = evidence.arrivals.filter(({ type }) => type.startsWith('generation.'));
  const breaches = uploadsAreToldOnce(evidence.arrivals, history.uploads, endpointsPerAccount);
  const events = new Map<string, Set<string>>();
  const accepted = new Map<string, Set<number>>();
  for (const { subjectId, eventId, endpointIndex, status } of arrivals) {
    events.set(subjectId, (events.get(subjectId) ?? new Set()).add(eventId));
    if (status < 300) accepted.set(subjectId, (accepted.get(subjectId) ?? new Set()).add(endpointIndex));
  }
  const typeOf = new Map(arrivals.map(({ subjectId, type }) => [subjectId, type]));
  generations.forEach((list, accountIndex) => {
    for (const { id, status } of list) {
      const told = events.get(id)?.size ?? 0;
      if (status === 'canceled' && told > 0) breaches.push(`I7: ${id} is canceled and an event told of it`);
      if (status !== 'succeeded' && status !== 'failed') continue;
      if (told !== 1) breaches.push(`I7: ${told} events told of ${id} (${status})`);
      else if (typeOf.get(id) !== `generation.${status}`)
        breaches.push(`I7: ${id} is ${status} and its event ${typeOf.get(id)}`);
      if ((accepted.get(id)?.size ?? 0) < endpointsPerAccount)
        breaches.push(`I8: ${accepted.get(id)?.size ?? 0} of ${endpointsPerAccount} endpoints took ${id}`);
    }
    const mine = new Set(list.map(({ id }) => id));
    for (const arrival of arrivals)
      if (arrival.accountIndex === accountIndex && !mine.has(arrival.subjectId))
        breaches.push(
          `I7: an event told account ${accountIndex} of ${arrival.subjectId}, which is not its own`,
        );
  });
  return breaches;
}

function uploadsAreToldOnce(
  arrivals: readonly Arrival[],
  uploads: History['uploads'],
  endpointsPerAccount: number,
): string[] {
  return uploads.flatMap(({ accountIndex, id }) => {
    const mine = arrivals.filter(({ subjectId }) => subjectId === id);
    const events = new Set(mine.map(({ eventId, type }) => `${eventId} ${type}`));
    const taken = new Set(
      mine.filter(({ status }) => status < 300).map(({ endpointIndex }) => endpointIndex),
    );
    if (events.size !== 1 || mine.some((arrival) => arrival.accountIndex !== accountIndex))
      return [`I7: of ${id} told: ${[...events].join(', ') || 'nothing'}`];
    return taken.size < endpointsPerAccount
      ? [`I8: ${taken.size} of ${endpointsPerAccount} endpoints took ${id}`]
      : [];
  });
}

function deliveriesKeepTheirIds({ arrivals }: Evidence): string[] {
  const breaches = arrivals.flatMap(({ genuine, deliveryId }) =>
    genuine ? [] : [`I8: ${deliveryId} was not signed with its endpoint's secret`],
  );
  const first = new Map<string, Arrival>();
  for (const arrival of arrivals) {
    const way = `${arrival.accountIndex}/${arrival.endpointIndex} ${arrival.eventId}`;
    const before = first.get(way);
    if (before === undefined) first.set(way, arrival);
    else if (before.deliveryId !== arrival.deliveryId)
      breaches.push(`I8: ${arrival.eventId} came as ${before.deliveryId} and as ${arrival.deliveryId}`);
    else if (before.digest !== arrival.digest)
      breaches.push(`I8: ${arrival.deliveryId} came with other bytes`);
  }
  return breaches;
}

function transitionsAreLegal({ history, generations }: Evidence): string[] {
  const breaches: string[] = [];
  const seen = byId(generations);
  const last = new Map<string, string>();
  const sequence = [
    ...history.observations,
    ...[...seen].map(([id, { status }]) => ({ id, status, at: Number.POSITIVE_INFINITY })),
  ];
  for (const { id, status } of sequence.sort((a, b) => a.at - b.at)) {
    const before = last.get(id) ?? 'queued';
    if (!(mayFollow[before] ?? []).includes(status))
      breaches.push(`I9: ${id} went from ${before} to ${status}`);
    last.set(id, status);
  }
  for (const { id, created_at, submitted_at, completed_at, status, outputs } of seen.values()) {
    const times = [created_at, submitted_at, completed_at].filter((time) => time !== null);
    if (times.some((time, i) => i > 0 && time < (times[i - 1] as string)))
      breaches.push(`I9: ${id} has times out of order: ${times.join(', ')}`);
    if (status === 'succeeded' && outputs.length === 0)
      breaches.push(`I9: ${id} succeeded with nothing to show`);
  }
  return breaches;
}

function booksBalance({ balances, studio }: Evidence): string[] {
  const breaches = studio.unbalanced.map(
    ({ accountId, bucket, balance, sum }) =>
      `I10: ${bucket} of ${accountId} is ${balance}, its entries say ${sum}`,
  );
  for (const { credits, studioAccountId } of balances) {
    const booked = studio.balances.get(studioAccountId);
    // At rest nothing is reserved, so the API must report the same credits as the studio.
    if (booked !== Math.round(credits * 1000))
      breaches.push(`I10: the API offers ${credits}, the studio has ${booked} millicredits`);
  }
  return breaches;
}

function canceledIsUnseen({ history, generations, studio }: Evidence): string[] {
  const rendered = new Set(
    studio.renders.filter(({ status }) => status !== 'barred').map(({ token }) => token),
  );
  const seen = byId(generations);
  const breaches = [...history.canceled].flatMap((id) =>
    seen.get(id)?.status === 'canceled'
      ? []
      : [`I11: ${id} was canceled and is ${seen.get(id)?.status ?? 'gone'}`],
  );
  for (const { id, status } of seen.values())
    if (status === 'canceled' && rendered.has(id))
      breaches.push(`I11: ${id} is canceled and the studio rendered it`);
  return breaches;
}

/**
 * A job may be sent again only when the machine cannot have it: the machine died with it, or the request never came.
 */
function jobsAreSubmissions({ jobs, studio }: Evidence): string[] {
  const rows = new Set(studio.submissions.map(({ id }) => id));
  const taken = new Set<string>();
  const lives = new Set<string>();
  const breaches: string[] = [];
  for (const { id, life, again } of jobs) {
    if (!rows.has(id)) breaches.push(`I12: job ${id} was sent, and no row says so`);
    if (lives.has(`${life} ${id}`)) breaches.push(`I12: job ${id} was sent twice to one ComfyUI`);
    if (again) breaches.push(`I12: job ${id} was sent again when its result was there`);
    taken.add(id);
    lives.add(`${life} ${id}`);
  }
  const made = new Map<string, number>();
  for (const { id, token, state, made: files } of studio.submissions) {
    if (state === 'done' && !taken.has(id)) breaches.push(`I12: submission ${id} has results of no job`);
    if (state !== 'done' && state !== 'failed' && state !== 'canceled')
      breaches.push(`I12: submission ${id} is still ${state}`);
    if (token !== null) made.set(token, (made.get(token) ?? 0) + files);
  }
  // Each request asks for one image.
  for (const [token, files] of made) if (files > 1) breaches.push(`I12: ${token} was made ${files} times`);
  return breaches;
}

function providersAreBooked({
  submissions,
  providerCosts: { reserved, spent, jobs },
}: StudioEvidence): string[] {
  const owed = submissions.reduce((sum, { cost }) => sum + cost, 0);
  const kept = submissions
    .filter(({ error }) => error === 'outcome_unknown')
    .reduce((sum, { cost }) => sum + cost, 0);
  const breaches: string[] = [];
  if (jobs !== submissions.length)
    breaches.push(`I13: ${jobs} jobs are booked, and ${submissions.length} were sent`);
  if (!isSame(reserved + spent, owed))
    breaches.push(`I13: ${reserved + spent} is booked of the provider, and its jobs cost ${owed}`);
  if (!isSame(reserved, kept))
    breaches.push(`I13: ${reserved} is set aside, and ${kept} of it is for jobs of which nobody can tell`);
  return breaches;
}

/** Compares sums of a provider's money, whose smallest unit is a millionth. */
function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.000_000_5;
}

function byId(generations: SeenGeneration[][]): Map<string, SeenGeneration> {
  return new Map(generations.flat().map((generation) => [generation.id, generation]));
}
