import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Part } from '@renderkit/server-kit/testing/part.ts';
import type { Bench, Result } from '../benchmark.ts';
import { boundResult } from '../present.ts';
import { residentMegabytes } from '../process-usage.ts';
import { startScriptedPlatform } from '../scripted-platform.ts';

const requestsHeld = 1_000;
/** Connections opened at a time; a listener's backlog is no longer. */
const burst = 100;
/** Milliseconds. */
const lookMs = 50;
const maxShownCharacters = 300;
/** Longer than an idle process takes to release unused memory. */
const restMs = 75_000;
const goalMegabytes = 60;

type Service = { url: string; key: string; part: Part; database: Database };

const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

/**
 * Measures the service's memory for requests that wait for their pictures; the scripted studio finishes none. While the
 * requests come, V8 keeps any amount of garbage. So the figure at rest is the difference of an idle process with and
 * without these requests.
 */
export async function held(bench: Bench): Promise<Result[]> {
  await using owners = new AsyncDisposableStack();
  const {
    url,
    service: part,
    serviceDatabase: database,
    createAccount,
  } = await startScriptedPlatform(bench, owners);
  const service = { url, key: (await createAccount()).key, part, database };
  // The first requests fill caches and compile the code.
  for (const one of await open(service, burst)) one.destroy();
  const count = bench.quick ? requestsHeld / 10 : requestsHeld;
  const { held: megabytes, most } = await heldMegabytes(service, count);
  return [
    boundResult({
      name: 'facade, held',
      ours: `${most.toFixed(0)} MB more at most while ${count} requests come and wait`,
      goal: `${goalMegabytes} MB or less`,
      met: most <= goalMegabytes,
    }),
    boundResult({
      name: 'facade, held at rest',
      ours: `${megabytes.toFixed(0)} MB more while ${count} requests wait and nothing else happens`,
      goal: 'none: a figure to know',
      met: true,
    }),
  ];
}

/** Returns by how many megabytes memory grew: once all is quiet, and at most on the way there. */
async function heldMegabytes(service: Service, count: number): Promise<{ held: number; most: number }> {
  const { part } = service;
  await sleep(restMs);
  const before = residentMegabytes(part.pid) ?? Number.NaN;
  const coming = open(service, count);
  const most = await maxMegabytes(
    part,
    coming.then(() => sleep(restMs)),
  );
  const after = residentMegabytes(part.pid) ?? Number.NaN;
  for (const one of await coming) one.destroy();
  return { held: after - before, most: most - before };
}

let asked = 0;

/**
 * Opens so many requests for pictures and returns them once all of them wait for the studio.
 * @throws if one is answered instead
 */
async function open({ url, key, database }: Service, count: number): Promise<ClientRequest[]> {
  const requests: ClientRequest[] = [];
  let answered: string | undefined;
  const others = await running(database);
  for (let n = 0; n < count; n += burst) {
    for (let place = n; place < Math.min(n + burst, count); place++) {
      const opened = ask(url, key);
      requests.push(opened);
      void answerOf(opened).then((answer) => (answered ??= answer));
    }
    while ((await running(database)) < others + requests.length) {
      await sleep(lookMs);
      if (answered !== undefined) throw new Error(`a request that was to wait was answered ${answered}`);
    }
  }
  return requests;
}

function ask(url: string, key: string): ClientRequest {
  const asking = request(`${url}/openai/v1/images/generations`, {
    agent,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  // Also needed after its headers have come, when `answerOf` no longer listens.
  asking.on('error', () => undefined);
  asking.end(JSON.stringify({ prompt: `a lighthouse over a calm sea, ${++asked}` }));
  return asking;
}

/**
 * Returns the answer of a request, or that its connection ended. Neither may happen before the end of the measurement.
 */
async function answerOf(asking: ClientRequest): Promise<string> {
  try {
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    return `${answer.statusCode}: ${(await text(answer)).slice(0, maxShownCharacters)}`;
  } catch (error) {
    return `by the end of its connection: ${String(error)}`;
  }
}

async function running(database: Database): Promise<number> {
  const [row] = await database.rows<{ running: number }>(
    `select count(*)::integer as running from generations where status = 'running'`,
  );
  return row?.running ?? 0;
}

/** Returns the most memory that the service had until `until` settled. */
async function maxMegabytes(part: Part, until: Promise<unknown>): Promise<number> {
  let most = residentMegabytes(part.pid) ?? Number.NaN;
  const look = setInterval(() => (most = Math.max(most, residentMegabytes(part.pid) ?? 0)), lookMs);
  try {
    await until;
  } finally {
    clearInterval(look);
  }
  return most;
}
