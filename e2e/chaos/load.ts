import { setTimeout as sleep } from 'node:timers/promises';
import type { Create, History } from './history.ts';
import { drawRequest, type CreateRequest } from './requests.ts';

export type LoadAccount = { keys: { key: string; dailyBudget: number | null }[] };

export type LoadOptions = {
  accounts: LoadAccount[];
  /** Returns one of the service's addresses, chosen again for each try, as a load balancer does. */
  baseUrl: () => string;
  history: History;
  random: () => number;
  stopping: AbortSignal;
  /** The number of clients that work at the same time. */
  clients: number;
  /** A small PNG, sent as uploads, and an address from which it can be fetched. */
  picture: { bytes: Buffer; url: string };
  /** Whether some creates use the ComfyUI's model. */
  comfyui: boolean;
};

type Answer =
  | { at: string; status: number; body: { id?: string; status?: string; code?: string } }
  | undefined;

const tryTimeoutMs = 12_000;
const pauseAfterErrorMs = 100;
/** A client pauses up to this long between two actions. */
const thinkMs = 300;
/**
 * With this many open generations a client waits for its oldest one: the queue must not grow faster than the workers
 * render.
 */
const maxOpen = 5;
/** A create is retried until its answer is definite. This limit is far above what any restart needs. */
const maxTries = 400;

/**
 * Runs the clients until the signal aborts. Each client then finishes what it has begun, so that every create has an
 * outcome.
 */
export async function runLoad(options: LoadOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.clients }, () => runClient(options)));
}

async function runClient(options: LoadOptions): Promise<void> {
  const { random, history, stopping } = options;
  const open: { id: string; key: string }[] = [];
  while (!stopping.aborted) {
    const oldest = open.length >= maxOpen ? open.shift() : undefined;
    if (oldest !== undefined && !(await observe(options, oldest.key, oldest.id))) open.unshift(oldest);
    if (open.length >= maxOpen) continue;
    const accountIndex = Math.floor(random() * options.accounts.length);
    const account = options.accounts[accountIndex] as LoadAccount;
    const keyIndex = Math.floor(random() * account.keys.length);
    const key = (account.keys[keyIndex] as { key: string }).key;
    const number = history.creates.length;
    const create: Create = {
      accountIndex,
      keyIndex,
      number,
      idempotencyKey: `chaos-${number}`,
      acceptedIds: [],
      interruptions: 0,
    };
    history.creates.push(create);
    const request = await drawRequest({
      number,
      random,
      comfyui: options.comfyui,
      pictureUrl: options.picture.url,
      upload: () => uploadUntilAnswered(options, key, accountIndex),
    });
    const id = await createUntilAnswered(options, key, create, request);
    if (id === undefined) await sleep(20 + random() * 60);
    else if (random() < 0.15) await cancel(options, key, id);
    else if (random() < 0.4) await observe(options, key, id);
    if (id !== undefined) open.push({ id, key });
    // Some clients do not trust the first answer and send the same request again.
    if (id !== undefined && random() < 0.1) await createUntilAnswered(options, key, create, request);
    await sleep(random() * thinkMs);
  }
}

async function createUntilAnswered(
  options: LoadOptions,
  key: string,
  create: Create,
  request: CreateRequest,
): Promise<string | undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    const answer = await call(options, key, 'POST', request.path, {
      body: { ...request.body, metadata: { n: String(create.number) } },
      idempotencyKey: create.idempotencyKey,
    });
    if (answer?.status === 202) {
      const id = answer.body.id as string;
      if (!create.acceptedIds.includes(id)) create.acceptedIds.push(id);
      options.history.acceptedAt.set(answer.at, (options.history.acceptedAt.get(answer.at) ?? 0) + 1);
      delete create.refusal;
      return id;
    }
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) {
      create.refusal = { status: answer.status, code: answer.body.code ?? '' };
      if (![402, 403].includes(answer.status))
        options.history.surprises.push(`create ${create.number}: ${answer.status} ${answer.body.code}`);
      return undefined;
    }
    create.interruptions++;
    await sleep(pauseAfterErrorMs * (0.5 + options.random()));
  }
  options.history.surprises.push(`create ${create.number} was never answered`);
  return undefined;
}

/**
 * Sends the picture until it is accepted. An upload has no idempotency key, so an upload whose answer was lost stays
 * behind.
 */
async function uploadUntilAnswered(
  options: LoadOptions,
  key: string,
  accountIndex: number,
): Promise<string | undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(options.picture.bytes)]), 'picture.png');
    const answer = await call(options, key, 'POST', '/v1/uploads', { form });
    if (answer?.status === 201) {
      const id = answer.body.id as string;
      options.history.uploads.push({ accountIndex, id });
      return id;
    }
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) {
      options.history.surprises.push(`upload: ${answer.status} ${answer.body.code}`);
      return undefined;
    }
    await sleep(pauseAfterErrorMs * (0.5 + options.random()));
  }
  options.history.surprises.push('an upload was never answered');
  return undefined;
}

async function cancel(options: LoadOptions, key: string, id: string): Promise<void> {
  const answer = await call(options, key, 'POST', `/v1/generations/${id}/cancel`, {});
  if (answer?.status === 200) options.history.canceled.add(id);
  else if (answer !== undefined && answer.status < 500 && ![409, 429].includes(answer.status))
    options.history.surprises.push(`cancel of ${id}: ${answer.status} ${answer.body.code}`);
}

/** Reads a generation and waits some time for its end. Returns true once it has ended. */
async function observe(options: LoadOptions, key: string, id: string): Promise<boolean> {
  const answer = await call(
    options,
    key,
    'GET',
    `/v1/generations/${id}?wait=${1 + Math.floor(options.random() * 3)}`,
    {},
  );
  if (answer?.status === 200) {
    const status = answer.body.status as string;
    options.history.observations.push({ id, status, at: performance.now() });
    return status !== 'queued' && status !== 'running';
  }
  if (answer !== undefined && answer.status < 500 && answer.status !== 429)
    options.history.surprises.push(`read of ${id}: ${answer.status} ${answer.body.code}`);
  // A process or the database may be down for a moment, so wait.
  if (answer === undefined || answer.status >= 500) await sleep(pauseAfterErrorMs);
  return false;
}

/** Returns `undefined` when no complete answer came: the connection was refused, cut, or silent too long. */
async function call(
  options: LoadOptions,
  key: string,
  method: string,
  path: string,
  what: { body?: unknown; form?: FormData; idempotencyKey?: string },
): Promise<Answer> {
  const at = options.baseUrl();
  try {
    const response = await fetch(at + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(what.body !== undefined && { 'content-type': 'application/json' }),
        ...(what.idempotencyKey !== undefined && { 'idempotency-key': what.idempotencyKey }),
      },
      ...(what.body !== undefined && { body: JSON.stringify(what.body) }),
      ...(what.form !== undefined && { body: what.form }),
      signal: AbortSignal.timeout(tryTimeoutMs),
    });
    return { at, status: response.status, body: (await response.json()) as { id?: string } };
  } catch {
    return undefined;
  }
}
