import assert from 'node:assert/strict';
import {
  type NewAccount,
  type NewKey,
  type Platform,
  type PlatformAccount,
  type PlatformOptions,
  startPlatform,
} from '@renderkit/stack/testing/platform.ts';
import { type Call, createCaller, type Fields, type Problem, type Reply, send } from './caller.ts';

export type Generation = {
  id: string;
  status: string;
  model: string;
  project_id: string | null;
  cost: { credits: number };
  expected_outputs: number;
  outputs: { id: string; url: string; thumb_url: string; width: number; height: number; type: string }[];
  error: { code: string; message: string } | null;
  metadata: Record<string, string>;
  created_at: string;
  submitted_at: string | null;
  completed_at: string | null;
};
export type List<Item = Fields> = { data: Item[]; page: number; limit: number; has_more: boolean };
export type Person = { who: PlatformAccount; key: string; call: Call };
export type World = AsyncDisposable & {
  platform: Platform;
  url: string;
  document: Fields;
  /** Makes an account with a key. */
  person: (account?: NewAccount, key?: NewKey) => Promise<Person>;
  /** Makes another key of the same account. */
  keyOf: (who: PlatformAccount, key?: NewKey) => Promise<Call>;
  withKey: (key?: string) => Call;
  /** Sets the slots of the account. With 0 slots nothing of the account starts. */
  setSlots: (who: PlatformAccount, slots: number) => Promise<void>;
};

/**
 * Starts a platform for one test, with small pictures. The test uses it only through HTTP and the operator's commands.
 */
export async function openWorld(options: PlatformOptions = {}): Promise<World> {
  const platform = await startPlatform({ smallPictures: true, ...options });
  const url = platform.serviceUrls[0] ?? '';
  const document = (await send(url, 'GET', '/openapi.json')).body;
  const keyOf = async (who: PlatformAccount, key?: NewKey) =>
    createCaller(url, document, await platform.createKey(who, key));
  return {
    platform,
    url,
    document,
    keyOf,
    withKey: (key) => createCaller(url, document, key),
    person: async (account, key) => {
      const who = await platform.createAccount(account);
      const secret = await platform.createKey(who, key);
      return { who, key: secret, call: createCaller(url, document, secret) };
    },
    setSlots: async (who, slots) => {
      await platform.databases.studio.rows('update accounts set limit_overall = $2 where id = $1', [
        who.studioAccountId,
        slots,
      ]);
    },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

let shared: Promise<World> | undefined;

/**
 * Returns one platform that all tests in this process share and leave as it was: starting a platform takes longer than
 * most tests. Each test has its own accounts.
 */
export function sharedWorld(): Promise<World> {
  return (shared ??= openWorld());
}

export async function closeSharedWorld(): Promise<void> {
  await (await shared)?.[Symbol.asyncDispose]();
}

export const draft = { model: 'sketch-1', prompt: 'a calm lake at dawn' };

export const create = (call: Call, fields: Fields = {}, headers: Record<string, string | string[]> = {}) =>
  call<Generation>('POST', '/v1/images/generations', { body: { ...draft, ...fields }, headers });

/** Sends the same as a create, but for free: it is validated like a create, and nothing is made. */
export const estimate = (call: Call, fields: Fields = {}) =>
  call('POST', '/v1/estimate', { body: { kind: 'image', ...draft, ...fields } });

export async function ended(call: Call, id: string): Promise<Generation> {
  const { body } = await call<Generation>('GET', `/v1/generations/${id}?wait=60`);
  assert.ok(['succeeded', 'failed', 'canceled'].includes(body.status), `${id} is still ${body.status}`);
  return body;
}

export async function rendered(call: Call, fields: Fields = {}): Promise<Generation> {
  const made = await create(call, fields);
  assert.equal(made.status, 202, made.text);
  const done = await ended(call, made.body.id);
  assert.equal(done.status, 'succeeded', JSON.stringify(done));
  return done;
}

export const codeOf = (reply: Reply) => (reply.body as Problem).code;

/** Asserts the code of a refusal, and the fields that it names. */
export function assertRefused(reply: Reply, code: string, ...fields: string[]): void {
  assert.equal(codeOf(reply), code, reply.text);
  if (fields.length === 0) return;
  const named = ((reply.body as Problem).errors ?? []).map(({ field }) => field);
  assert.deepEqual([...new Set(named)].sort(), fields.sort(), reply.text);
}

/** Returns the body without the only member that differs from request to request. */
export function withoutRequestId(reply: Reply): string {
  return reply.text.replace((reply.body as Problem).request_id, '');
}
