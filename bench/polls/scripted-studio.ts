// A scripted studio in a separate process: it accepts every render at once, and ends all of them on request, or each
// after a time. None of its answers are slow, so that the measurement is of the service.

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountChanges } from '@renderkit/contract/studio/changes.ts';
import type { StudioBody } from '@renderkit/contract/studio/operations.ts';
import type { RenderProgress } from '@renderkit/contract/studio/progress.ts';
import type { StudioBalance, StudioLimits } from '@renderkit/contract/studio/schemas/account.ts';
import type { Catalog } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { QuotesRequest, Render } from '@renderkit/contract/studio/schemas/render.ts';
import { builtInCatalog } from '@renderkit/studio/catalog/built-in.ts';
import { serveParent } from '../child.ts';

export type ScriptedStudio = {
  port: number;
  studioId?: string;
  /** Each render ends after this time, and is forgotten a minute later; absent: none ends by itself. */
  settleAfterMs?: number;
};
/** Ends every render, evenly spread over this time. */
export type SettleAll = { settleWithinMs: number };
/**
 * Every render reports once a second, for so many seconds. Its `step` is the time in milliseconds, the last nine
 * digits.
 */
export type ReportAll = { reportSeconds: number };

/** `read`: how many changes before these were read, and are now forgotten. */
type Feed = { read: number; changes: Extract<AccountChanges, { status: 'changes' }>['changes'] };

/** The size of every file. */
const pictureBytes = 4_000_000;
const picture = randomBytes(pictureBytes);
/** Interval in which renders end: the feed has something new each time. */
const stepMs = 20;
const catalog: Catalog = {
  version: 'v1',
  plan: 'pro',
  // Sample images are files of the studio, which need its address: the service accepts no link without one.
  models: (await builtInCatalog()).shared.models.map((model) => ({ ...model, thumbnail: null })),
  styles: [],
  suggestions: [],
};
const lane = { limit: 10_000, running: 0, running_elsewhere: 0 };
const limits: StudioLimits = { overall: lane, image: lane, edit: lane, video: lane };

const renders = new Map<string, { account: string; render: Render }>();
const feeds = new Map<string, Feed>();
let ledgerSeq = 0;
/** The time of each render's last report. */
const reports = new Map<string, number>();
let waiting: (() => void)[] = [];
let origin = '';
let studioId = 'std_scripted';
/** Renders in the order of their arrival, with the time when they end, or are forgotten. */
const toEnd: { token: string; at: number }[] = [];
const toForget: { token: string; at: number }[] = [];
const forgottenAfterMs = 60_000;
let settleAfterMs: number | undefined;

await serveParent(async (told: ScriptedStudio) => {
  const { port } = told;
  ({ studioId = studioId, settleAfterMs } = told);
  origin = `http://127.0.0.1:${port}`;
  if (settleAfterMs !== undefined) setInterval(settleDue, stepMs);
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (message: SettleAll | ReportAll) =>
    'reportSeconds' in message ? reportAll(message) : settleAll(message);
});

async function settleAll({ settleWithinMs }: SettleAll): Promise<number> {
  const running = [...renders.values()].filter(({ render }) => render.status === 'running');
  const begin = performance.now();
  let settled = 0;
  while (settled < running.length) {
    const share = Math.min(1, (performance.now() - begin + stepMs) / settleWithinMs);
    for (; settled < Math.ceil(share * running.length); settled++) {
      const { account, render } = running[settled] as { account: string; render: Render };
      change(account, { ...render, status: 'succeeded', outputs: [output(settled)], completed_at: time() });
    }
    for (const wake of waiting.splice(0)) wake();
    await sleep(stepMs);
  }
  return performance.now() - begin;
}

function settleDue(): void {
  const now = performance.now();
  const due = toEnd.findIndex(({ at }) => at > now);
  const ended = toEnd.splice(0, due === -1 ? toEnd.length : due);
  for (const { token } of ended) {
    const known = renders.get(token);
    if (known === undefined) continue;
    const { account, render } = known;
    change(account, { ...render, status: 'succeeded', outputs: [output(ledgerSeq)], completed_at: time() });
    toForget.push({ token, at: now + forgottenAfterMs });
  }
  if (ended.length > 0) for (const wake of waiting.splice(0)) wake();
  const old = toForget.findIndex(({ at }) => at > now);
  for (const { token } of toForget.splice(0, old === -1 ? toForget.length : old)) renders.delete(token);
}

/** Spreads the reports evenly over each second, so that the figures are not those of one burst. */
async function reportAll({ reportSeconds }: ReportAll): Promise<void> {
  const running = [...renders.keys()];
  const steps = 20;
  for (let n = 0; n < reportSeconds * steps; n++) {
    for (let i = n % steps; i < running.length; i += steps)
      reports.set(running[i] as string, Math.round(performance.timeOrigin + performance.now()) % 1e9);
    for (const wake of waiting.splice(0)) wake();
    await sleep(1_000 / steps);
  }
}

function output(number: number): Render['outputs'][number] {
  return {
    id: `out_${number}`,
    type: 'image',
    url: `${origin}/media/${number}/picture.png`,
    thumb_url: `${origin}/media/${number}/thumb.webp`,
    width: 1024,
    height: 1024,
    duration: null,
    nsfw: false,
    request_id: number,
  };
}

function change(account: string, render: Render): void {
  renders.set(render.token, { account, render });
  const feed = feedOf(account);
  feed.changes.push({
    seq: feed.read + feed.changes.length + 1,
    type: 'render',
    token: render.token,
    render,
  });
}

function feedOf(account: string): Feed {
  let feed = feeds.get(account);
  if (feed === undefined) feeds.set(account, (feed = { read: 0, changes: [] }));
  return feed;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.startsWith('/media/') === true) {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': pictureBytes });
    return void response.end(picture);
  }
  const json = await answer(request);
  response.writeHead(json === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(json ?? { code: 'not_found', message: 'nothing here' }));
}

async function answer(request: IncomingMessage): Promise<unknown> {
  const path = request.url?.split('?')[0] ?? '';
  const body = await readBody(request);
  if (path === '/api/metadata')
    return { studio_id: studioId, issuer: `${origin}/oidc`, version: '1', progress: true };
  if (path === '/api/progress') return progress(JSON.parse(body) as StudioBody<'readProgress'>);
  if (path === '/oidc/.well-known/openid-configuration')
    return { issuer: `${origin}/oidc`, token_endpoint: `${origin}/oidc/token` };
  if (path === '/oidc/token') return tokens(body);
  if (path === '/api/changes') return changes(JSON.parse(body) as StudioBody<'readChanges'>);
  // The token of an account is its name.
  const account = request.headers.authorization?.slice('Bearer '.length) ?? '';
  if (path === '/api/account') return profile(account);
  if (path === '/api/balance') return balance();
  if (path === '/api/limits') return limits;
  if (path === '/api/catalog') return catalog;
  if (path === '/api/quotes') return quotes(JSON.parse(body) as QuotesRequest);
  if (path === '/api/renders/lookup')
    return { renders: lookUp((JSON.parse(body) as { tokens: string[] }).tokens), ledger_seq: ledgerSeq };
  if (request.method === 'PUT' && path.startsWith('/api/renders/'))
    return { outcome: 'accepted', render: submit(account, path.slice('/api/renders/'.length)) };
  return undefined;
}

function tokens(body: string) {
  const account = new URLSearchParams(body).get('refresh_token') ?? '';
  return { access_token: account, token_type: 'Bearer', expires_in: 900, refresh_token: account };
}

function submit(account: string, token: string): Render {
  const known = renders.get(token);
  if (known !== undefined) return known.render;
  const render: Render = {
    token,
    render_id: `rnd_${token}`,
    kind: 'image',
    status: 'running',
    prompt_id: `prm_${token}`,
    project_id: 'prj_scripted',
    cost_millicredits: 4_000,
    ledger_seq: ++ledgerSeq,
    expected_outputs: 1,
    outputs: [],
    error: null,
    accepted_at: time(),
    completed_at: null,
  };
  renders.set(token, { account, render });
  if (settleAfterMs !== undefined) toEnd.push({ token, at: performance.now() + settleAfterMs });
  return render;
}

function lookUp(asked: readonly string[]): Render[] {
  return asked.flatMap((token) => renders.get(token)?.render ?? []);
}

async function changes({ accounts, wait_seconds: seconds }: StudioBody<'readChanges'>): Promise<unknown> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const moved: AccountChanges[] = [];
    for (const { account, cursor } of accounts) {
      const feed = feedOf(account);
      if (cursor > feed.read) feed.changes.splice(0, cursor - feed.read);
      feed.read = Math.max(feed.read, cursor);
      const news = feed.changes.slice(0, 200);
      const last = news.at(-1);
      if (last !== undefined) moved.push({ account, status: 'changes', changes: news, cursor: last.seq });
    }
    const left = deadline - performance.now();
    if (moved.length > 0 || left <= 0) return { accounts: moved };
    await pause(left);
  }
}

async function progress({ renders: asked, wait_seconds: seconds }: StudioBody<'readProgress'>) {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const moved = asked.filter(({ token, revision }) => revision !== String(reports.get(token) ?? 0));
    const left = deadline - performance.now();
    if (moved.length > 0 || left <= 0) return { renders: moved.map(reportOf), ended: [] };
    await pause(left);
  }
}

function reportOf({ account, token }: { account: string; token: string }): RenderProgress {
  const step = reports.get(token) ?? 0;
  return {
    account,
    token,
    revision: String(step),
    stage: 'rendering',
    fraction: null,
    step,
    steps: null,
    outputs_done: 0,
    queue: null,
    starts_in_seconds: null,
    finishes_in_seconds: null,
    preview: null,
  };
}

/** Waits until something changed, or for so many milliseconds. */
async function pause(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    waiting.push(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function quotes({ quotes: asked }: QuotesRequest) {
  const results = asked.map(({ request }) => {
    const model = catalog.models.find(({ id }) => id === request.model);
    return {
      account_state: 'ok',
      unknown_ids: [],
      cost_millicredits: model?.price.base_millicredits ?? 0,
      outputs: 1,
      balance: balance(),
      refusal: null,
      quote: 'quote',
    };
  });
  return { results };
}

function balance(): StudioBalance {
  return {
    monthly_millicredits: 1e12,
    lifetime_millicredits: 0,
    allowance_millicredits: null,
    next_refill: null,
    ledger_seq: ledgerSeq,
    catalog_version: catalog.version,
    plan: catalog.plan,
  };
}

function profile(account: string) {
  return {
    id: account,
    email: null,
    name: null,
    username: null,
    tier: { key: 'pro', name: 'Pro' },
    organization: false,
    age_verified: false,
    state: 'ok',
    capabilities: {
      audio_upload: false,
      video_upload: false,
      uploads: false,
      custom_models: false,
      character_creation_modes: [],
    },
    catalog_version: catalog.version,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function time(): string {
  return new Date().toISOString();
}
