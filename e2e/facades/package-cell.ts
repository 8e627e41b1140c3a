// Helpers for one cell of the table of official packages: its own account, and checks of the results.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { NewAccount, Platform } from '@renderkit/stack/testing/platform.ts';
import type { PackageClient, Settings, Wish } from './package-clients.ts';

/** A request that costs one credit. */
export const slow = (seconds: number): Wish => ({ model: 'sandbox-slow', options: { seconds } });

type Made = { id: string; kind: string; status: string; cost: { credits: number } };

/** `reader`: the service that is asked about the results. */
type OpenOptions = NewAccount & { reader?: number };

/** Opens an account with a key, and functions that read the results of its requests. */
export async function openCell(
  platform: Platform,
  { reader = 0, tier = 'pro', credits = 100 }: OpenOptions = {},
) {
  const account = await platform.createAccount({ tier, credits });
  const key = await platform.createKey(account);
  const ask = async <Body>(of: string, method = 'GET'): Promise<Body> => {
    const url = `${platform.serviceUrls[reader]}/v1${of}`;
    return (await (await fetch(url, { method, headers: { authorization: `Bearer ${key}` } })).json()) as Body;
  };
  const balance = async () => (await ask<{ credits: { balance: number } }>('/account')).credits.balance;
  const had = await balance();
  return {
    account,
    settings: (serviceUrl = platform.serviceUrls[reader] ?? ''): Settings => ({
      baseURL: `${serviceUrl}/openai/v1`,
      apiKey: key,
    }),
    generations: async () => (await ask<{ data: Made[] }>('/generations?limit=100')).data,
    cancel: (id: string) => ask(`/generations/${id}/cancel`, 'POST'),
    stop: (id: string) => ask(`/generations/${id}/stop`, 'POST'),
    /** Credits spent so far. */
    spent: async () => had - (await balance()),
  };
}
type Opened = Awaited<ReturnType<typeof openCell>>;

/** Asserts how many generations exist, and how many credits they cost together. */
export async function assertCharged(opened: Opened, generations: number, credits: number): Promise<void> {
  assert.deepEqual(
    { generations: (await opened.generations()).length, credits: await opened.spent() },
    { generations, credits },
  );
}

export function assertPictures(pictures: readonly Uint8Array[], count: number): void {
  assert.equal(pictures.length, count);
  for (const picture of pictures) assert.equal(Buffer.from(picture).toString('latin1', 1, 4), 'PNG');
}

/** Asserts which error the user sees instead of a picture. */
export async function assertRefused(
  client: PackageClient,
  drawn: Promise<unknown>,
  expected: { status: number; code: string; message: RegExp; type?: string },
): Promise<void> {
  const { status, code, message } = expected;
  await assert.rejects(drawn, (error) => {
    const seen = client.seen(error);
    const type = expected.type ?? client.errors[status] ?? client.errors.other;
    assert.deepEqual([seen.type, seen.status, seen.code], [type, status, code], seen.message);
    assert.match(seen.message, message);
    return true;
  });
}

export async function untilThereAre({ generations }: Opened, count: number): Promise<void> {
  await until(`generation ${count}`, async () => (await generations()).length >= count);
}

/** Returns the id of the account's first generation, once it runs at the studio. */
export async function untilItRuns({ generations }: Opened): Promise<string> {
  const first = async () => (await generations())[0];
  return (await until('its start', first, { isSo: ({ status }) => status === 'running' })).id;
}

/** Starts a proxy that reads the first answer completely, as a proxy may, and never passes it on. */
export async function startLosingProxy(target: string): Promise<AsyncDisposable & { url: string }> {
  let isLost = false;
  const passOn = async (request: IncomingMessage, response: ServerResponse) => {
    const answer = await fetch(`${target}${request.url}`, {
      method: 'POST',
      headers: request.headers as Record<string, string>,
      body: await buffer(request),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (isLost) response.writeHead(answer.status, { 'content-type': 'application/json' }).end(bytes);
    else response.destroy();
    isLost = true;
  };
  const server = createServer((request, response) => void passOn(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Makes the studio refuse the account's next create because of too many running ones. */
export const refuseNext = (platform: Platform, { account }: Opened) =>
  platform.operator('studio', 'fault', '--email', account.email, '--next', 'concurrency');
