import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Bench, Result } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { type Beside, childFile, measureRate } from '../load/measure-rate.ts';
import { type Account, freePort, originOf, startPlatform } from '../platform.ts';
import { rateResult, rateSample } from '../present.ts';
import { compare } from '../rounds.ts';
import type { BareAnswer } from './bare-server.ts';
import { insertSucceeded } from './rows.ts';

const accounts = 20;
const keysPerAccount = 10;
const generations = 3_000;
const connections = 256;
const goal = 0.45;

/** Compares `GET /v1/generations/{id}` of one service process with bare Fastify that answers the same bytes. */
export async function read(bench: Bench): Promise<Result[]> {
  await using platform = await startPlatform(bench, { worker: false });
  const owners: Account[] = [];
  for (let n = 0; n < accounts; n++) owners.push(await platform.createAccount({ keys: keysPerAccount }));
  const reads = await insertGenerations(platform.serviceDatabase, owners);
  await using bare = await startBare(await sampleAnswer(platform.serviceUrl, reads[0]));
  await using load = await startChild(childFile('http-load.ts'));
  const measure = (url: string, pid: number, seconds: number, beside: Beside = {}) =>
    measureRate(load, { url, connections, seconds, reads }, { pid, status: 200, beside });

  const warmSeconds = bench.quick ? 1 : 10;
  await measure(platform.serviceUrl, platform.service.pid, warmSeconds);
  await measure(bare.url, bare.child.pid, warmSeconds);
  const comparison = await compare({
    rounds: bench.rounds,
    ours: () =>
      measure(platform.serviceUrl, platform.service.pid, bench.seconds, {
        PostgreSQL: bench.cluster.cpuSeconds,
      }),
    baseline: () => measure(bare.url, bare.child.pid, bench.seconds),
    onRound: (round, ours, baseline) =>
      bench.say(`  round ${round}: ${rateSample(ours)} against ${rateSample(baseline)}`),
  });
  return [rateResult('read', comparison, goal)];
}

async function insertGenerations(database: Database, owners: readonly Account[]) {
  const rows = Array.from({ length: generations }, (_, i) => {
    const owner = owners[i % accounts] as Account;
    return {
      id: newId('gen_'),
      account: owner.id,
      key: owner.keys[Math.floor(i / accounts) % keysPerAccount] as string,
    };
  });
  await insertSucceeded(database, rows);
  return rows.map(({ id, key }) => ({ path: `/v1/generations/${id}`, key }));
}

/** Returns an answer of the service, which the baseline repeats. */
async function sampleAnswer(
  url: string,
  one: { path: string; key: string } | undefined,
): Promise<Omit<BareAnswer, 'port'>> {
  const answer = await fetch(url + one?.path, { headers: { authorization: `Bearer ${one?.key}` } });
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(`a read was answered ${answer.status}: ${body}`);
  const ofTheConnection = ['connection', 'keep-alive', 'date', 'content-length'];
  const headers = [...answer.headers].filter(([name]) => !ofTheConnection.includes(name));
  return { body, headers: Object.fromEntries(headers) };
}

async function startBare(answer: Omit<BareAnswer, 'port'>) {
  const port = await freePort();
  const child: Child = await startChild(new URL('bare-server.ts', import.meta.url).pathname, {
    ...answer,
    port,
  });
  return { child, url: originOf(port), [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}
