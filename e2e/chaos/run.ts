import { cp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '@renderkit/server-kit/testing/part.ts';
import sharp from 'sharp';
import { startPlatform, type Platform, type PlatformAccount } from '@renderkit/stack/testing/platform.ts';
import { unpackOlderRelease } from '../harness/older-release.ts';
import { type ChaosComfyui, startChaosComfyui } from './comfyui.ts';
import { readBalance, readGenerations, readStudio } from './evidence.ts';
import { emptyHistory, type History } from './history.ts';
import { findBreaches } from './invariants.ts';
import { type LoadAccount, runLoad } from './load.ts';
import { seededRandom } from './random.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export type ChaosOptions = {
  kills: number;
  seed: number;
  /** Number of service processes. */
  services: number;
  /** The number of clients that work at the same time. */
  clients: number;
  /** Number of studio processes. Default 1. */
  studios?: number | undefined;
  mediaStore?: 'disk' | 's3' | undefined;
  /**
   * Runs every second studio, service and worker from the release before, so there must be two of each. Release 1
   * supports only the product's own models and media on disk, so there is no ComfyUI then.
   */
  mixedReleases?: boolean | undefined;
  /** The directory to which the parts' logs are copied at the end. */
  logsTo?: string | undefined;
  say: (line: string) => void;
};

export type ChaosResult = {
  breaches: string[];
  kills: Record<string, number>;
  accepted: number;
  /** Generations by their final status, and the requests to the webhook endpoints. */
  counts: Record<string, number>;
  /** What parts of the release before did, if there are such parts. */
  byOlder: { accepted: number; rendered: number } | undefined;
};

const ownTargets = ['service', 'service', 'service', 'studio', 'worker', 'worker', 'postgres'] as const;
const comfyuiTargets = ['comfyui', 'comfyui', 'comfyui (frozen)'] as const;
/** How long a victim lives after it is ready, in milliseconds: minimum and maximum. */
const lifetimeMs = [50, 750] as const;
/** How long a frozen part is silent, in milliseconds: less, or more, than its workers wait for an answer. */
const frozenMs = [100, 6_000] as const;
/**
 * One in this many kills is a stall instead: a part is silent for longer than its leases last, and then continues as if
 * nothing had happened.
 */
const stalledOneIn = 30;
const stalledMs = [11_000, 16_000] as const;
const restWithinMs = 120_000;
const endpointsPerAccount = 2;
/** A refused delivery is retried after a minute, and a stalled part needs time, so only a long run waits for these. */
const longFromKills = 50;
const deliveredWithinMs = { steady: 40_000, flaky: 120_000 };

/** Kills parts at random under load, then checks the result by outside evidence. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = seededRandom(options.seed);
  await using older = options.mixedReleases === true ? await unpackOlderRelease() : undefined;
  await using platform = await startPlatform({
    services: options.services,
    workers: 2,
    ...(options.studios !== undefined && { studios: options.studios }),
    ...(options.mediaStore !== undefined && { mediaStore: options.mediaStore }),
    ownPostgres: true,
    smallPictures: true,
    olderTree: older?.directory,
    environment: { EGRESS_ALLOW: '127.0.0.0/8' },
  });
  const flaky = options.kills >= longFromKills;
  const picture = await makePicture();
  await using receiver = await startReceiver({ flaky, picture });
  const { accounts, people, budgets } = await makeAccounts(platform, receiver);
  await using comfyui =
    older === undefined ? await startChaosComfyui(platform, accounts[0]?.keys[0]?.key ?? '') : undefined;
  const history = emptyHistory();
  const stopping = new AbortController();
  const load = runLoad({
    accounts,
    baseUrl: () => platform.serviceUrls[Math.floor(random() * platform.serviceUrls.length)] as string,
    history,
    random,
    stopping: stopping.signal,
    clients: options.clients,
    picture: { bytes: picture, url: receiver.pictureUrl },
    comfyui: comfyui !== undefined,
  });
  const kills = await killAtRandom(platform, comfyui, options, random);
  stopping.abort();
  await load;
  const generations = await untilAtRest(platform, accounts, options.say);
  await untilDelivered(
    [...generations.flat(), ...uploadsOf(history)],
    receiver,
    deliveredWithinMs[flaky ? 'flaky' : 'steady'],
    options.say,
  );
  const counts: Record<string, number> = { arrivals: receiver.arrivals.length };
  for (const { status } of generations.flat()) counts[status] = (counts[status] ?? 0) + 1;
  const breaches = findBreaches({
    history,
    generations,
    balances: await Promise.all(
      accounts.map(async (account, i) => ({
        credits: await readBalance(platform.serviceUrls[0] as string, account),
        studioAccountId: (people[i] as PlatformAccount).studioAccountId,
      })),
    ),
    budgets,
    studio: await readStudio(platform.databases.studio.url),
    arrivals: receiver.arrivals,
    endpointsPerAccount,
    jobs: (await comfyui?.jobs()) ?? [],
  });
  if (options.logsTo !== undefined)
    await cp(path.join(platform.directory, 'logs'), options.logsTo, { recursive: true });
  return {
    breaches,
    kills,
    counts,
    byOlder: older === undefined ? undefined : await readWorkOfOlder(platform, history),
    accepted: history.creates.filter(({ acceptedIds }) => acceptedIds.length > 0).length,
  };
}

/** Every second service is of the release before. Renders that parts of that release handled completely have no tag. */
async function readWorkOfOlder({ serviceUrls, databases }: Platform, { acceptedAt }: History) {
  const [renders] = await databases.studio.rows<{ count: number }>(
    `select count(*)::integer as count from renders where tag is null and status = 'succeeded'`,
  );
  const older = serviceUrls.filter((_, i) => i % 2 === 1);
  return {
    accepted: older.reduce((sum, url) => sum + (acceptedAt.get(url) ?? 0), 0),
    rendered: renders?.count ?? 0,
  };
}

async function makeAccounts(platform: Platform, receiver: Receiver) {
  // The first account has plenty of credits, the second runs out of them, the third has keys with budgets.
  const plans = [
    { credits: 100_000, budgets: [null] },
    { credits: 40, budgets: [null] },
    { credits: 100_000, budgets: [15, 25] },
  ];
  const people: PlatformAccount[] = [];
  const accounts: LoadAccount[] = [];
  for (const plan of plans) {
    const person = await platform.createAccount({ tier: 'pro', credits: plan.credits });
    const keys = [];
    for (const dailyBudget of plan.budgets)
      keys.push({
        key: await platform.createKey(person, dailyBudget === null ? {} : { dailyBudget }),
        dailyBudget,
      });
    for (let endpoint = 0; endpoint < endpointsPerAccount; endpoint++) {
      const url = receiver.urlOf(people.length, endpoint);
      receiver.learnSecret(people.length, endpoint, await platform.createWebhook(person, url));
    }
    people.push(person);
    accounts.push({ keys });
  }
  return { people, accounts, budgets: plans.map((plan) => plan.budgets) };
}

async function killAtRandom(
  platform: Platform,
  comfyui: ChaosComfyui | undefined,
  options: ChaosOptions,
  random: () => number,
): Promise<Record<string, number>> {
  const kills: Record<string, number> = {};
  const targets = comfyui === undefined ? ownTargets : [...ownTargets, ...comfyuiTargets];
  for (let n = 0; n < options.kills; n++) {
    await sleep(lifetimeMs[0] + random() * (lifetimeMs[1] - lifetimeMs[0]));
    if (options.kills >= longFromKills && random() < 1 / stalledOneIn) {
      const parts = [...platform.studios, ...platform.workers, ...platform.services];
      const victim = parts[Math.floor(random() * parts.length)] as Part;
      const name = `${victim.name} (frozen)`;
      kills[name] = (kills[name] ?? 0) + 1;
      await freeze(victim, stalledMs[0] + random() * (stalledMs[1] - stalledMs[0]));
      continue;
    }
    const target = targets[Math.floor(random() * targets.length)] as (typeof targets)[number];
    kills[target] = (kills[target] ?? 0) + 1;
    if (target === 'postgres') {
      await platform.killPostgres();
      await untilServing(platform);
    } else if (target === 'comfyui') {
      await comfyui?.part.kill('SIGKILL');
      await comfyui?.part.start();
      await comfyui?.resume();
    } else if (target === 'comfyui (frozen)' && comfyui !== undefined) {
      await freeze(comfyui.part, frozenMs[0] + random() * (frozenMs[1] - frozenMs[0]));
      await comfyui.resume();
    } else {
      const parts =
        target === 'studio' ? platform.studios : target === 'worker' ? platform.workers : platform.services;
      const victim = parts[Math.floor(random() * parts.length)] as Part;
      await victim.kill('SIGKILL');
      await startAgain(victim);
    }
    if ((n + 1) % 20 === 0) options.say(`${n + 1} kills`);
  }
  return kills;
}

/** Freezes a part for `ms` milliseconds. Always thaws it, whatever happens meanwhile. */
async function freeze(part: Part, ms: number): Promise<void> {
  await part.kill('SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    await part.kill('SIGCONT');
  }
}

async function startAgain(part: Part): Promise<void> {
  // The start may fail while the database is recovering; a supervisor would retry, too.
  for (let tries = 1; ; tries++) {
    try {
      await part.start();
      return;
    } catch (error) {
      if (tries === 20) throw error;
      await sleep(250);
    }
  }
}

/** After the database was killed, every part must recover by itself. A part that ended is started again. */
async function untilServing(platform: Platform): Promise<void> {
  const parts = [...platform.studios, ...platform.workers, ...platform.services];
  const deadline = performance.now() + 30_000;
  for (const part of parts) if (!part.running) await startAgain(part);
  for (const url of platform.serviceUrls) {
    while (performance.now() < deadline) {
      const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        (response) => response.ok,
        () => false,
      );
      if (ready) break;
      await sleep(50);
    }
  }
}

/** Waits until every generation has ended, and returns them all. */
async function untilAtRest(platform: Platform, accounts: LoadAccount[], say: (line: string) => void) {
  const baseUrl = platform.serviceUrls[0] as string;
  const deadline = performance.now() + restWithinMs;
  for (;;) {
    const generations = await Promise.all(accounts.map((account) => readGenerations(baseUrl, account)));
    const open = generations
      .flat()
      .filter(({ status }) => status === 'queued' || status === 'running').length;
    if (open === 0 || performance.now() > deadline) return generations;
    say(`${open} generations under way`);
    await sleep(1_000);
  }
}

/** Every upload has an event once it was checked, with the result ready or rejected. */
function uploadsOf(history: History): { id: string; status: string }[] {
  return history.uploads.map(({ id }) => ({ id, status: 'looked at' }));
}

function makePicture(): Promise<Buffer> {
  return sharp({ create: { width: 96, height: 64, channels: 3, background: '#3b6ea5' } })
    .png()
    .toBuffer();
}

/** Waits until each endpoint has accepted all its events. Events that are still missing then are checked later. */
async function untilDelivered(
  subjects: readonly { id: string; status: string }[],
  receiver: Receiver,
  withinMs: number,
  say: (line: string) => void,
): Promise<void> {
  const told = subjects.filter(({ status }) => status !== 'canceled').map(({ id }) => id);
  const deadline = performance.now() + withinMs;
  for (;;) {
    const taken = new Set(
      receiver.arrivals
        .filter(({ status }) => status < 300)
        .map(({ subjectId, endpointIndex }) => `${subjectId}/${endpointIndex}`),
    );
    const missing = told.flatMap((id) =>
      Array.from({ length: endpointsPerAccount }, (_, endpoint) => `${id}/${endpoint}`).filter(
        (way) => !taken.has(way),
      ),
    ).length;
    if (missing === 0 || performance.now() > deadline) return;
    say(`${missing} deliveries under way`);
    await sleep(2_000);
  }
}
