import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StudioBody, StudioOperationId } from '@renderkit/contract/studio/operations.ts';
import type { StudioLimits } from '@renderkit/contract/studio/schemas/account.ts';
import type { Render, SubmitAnswer } from '@renderkit/contract/studio/schemas/render.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { ScriptedStudio } from './scripted-studio.ts';

/** What the studio does with one submit instead of accepting it normally. */
export type SubmitScript =
  | { outcome: SubmitAnswer }
  /** Accepts the submit, but its answer is lost. */
  | 'lose-answer'
  /** The request is lost, so the studio never gets it. */
  | 'lose-request'
  /** Accepts the submit, and the feed reports its end before the answer comes. */
  | 'finish-first';

export type ScriptedRenders = {
  renders: Map<string, Render>;
  /** Ledger entries of charges and refunds, by token. */
  ledger: { token: string; millicredits: number }[];
  /** Tokens of the submits that came, in order. */
  submits: string[];
  limits: StudioLimits;
  /** Scripts for the next submits, in order. Later submits are accepted. */
  next: SubmitScript[];
  /** When set, submits wait for this promise. */
  hold: Promise<void> | undefined;
  finish: (
    token: string,
    how?: {
      status?: 'succeeded' | 'failed';
      error?: Render['error'];
      outputs?: number;
      made?: Render['outputs'][number]['made'];
    },
  ) => void;
  /** Adds any change to the feed. */
  tell: (
    change:
      | { token: string; render: unknown }
      | { token: string; barred: true }
      | { token: string; upload: unknown },
  ) => void;
  /** Resolves once the condition is true. It is checked after each submit and each change of the feed. */
  until: (is: () => boolean) => Promise<void>;
  /** The next answer of the feed reports this status for its account. */
  tellOnce: (status: 'reset' | 'ended') => void;
  tombstoned: Set<string>;
};

type Feed = {
  changes: { seq: number; type: 'render' | 'upload'; token: string; render?: unknown; upload?: unknown }[];
  told: ('reset' | 'ended')[];
  /** Emits `more` when one of the two arrays has grown. */
  grown: EventEmitter;
};

/** Gives a scripted studio renders, a ledger and a feed for its one account. */
export function scriptRenders(studio: ScriptedStudio): ScriptedRenders {
  const lane = { limit: 2, running: 0, running_elsewhere: 0 };
  const feed: Feed = { changes: [], told: [], grown: new EventEmitter().setMaxListeners(0) };
  const renders: ScriptedRenders = {
    renders: new Map(),
    ledger: [],
    submits: [],
    limits: { overall: { ...lane, limit: 4 }, image: lane, edit: lane, video: lane },
    next: [],
    hold: undefined,
    tombstoned: new Set(),
    tell: (change) => {
      const type = 'upload' in change ? 'upload' : 'render';
      feed.changes.push({ seq: feed.changes.length + 1, type, ...change });
      feed.grown.emit('more');
    },
    until: async (is) => {
      while (!is()) await grows(feed.grown);
    },
    tellOnce: (status) => {
      feed.told.push(status);
      feed.grown.emit('more');
    },
    finish: (token, { status = 'succeeded', error = null, outputs = 1, made } = {}) => {
      const render = renders.renders.get(token);
      if (render === undefined) throw new Error(`nobody submitted ${token}`);
      render.status = status;
      render.error = error ?? (status === 'failed' ? { code: 'engine_error', message: 'it broke' } : null);
      render.completed_at = new Date().toISOString();
      if (status === 'succeeded')
        render.outputs = Array.from({ length: outputs }, () => ({
          ...anOutput(studio.url),
          ...(made && { made }),
        }));
      else charge(studio, renders, token, render.cost_millicredits);
      renders.tell({ token, render: structuredClone(render) });
    },
  };
  const bodyOf = <Id extends StudioOperationId>(_operation: Id): StudioBody<Id> =>
    JSON.parse(studio.seen.at(-1)?.body ?? 'null') as StudioBody<Id>;

  studio.script('getLimits', (_request, response) => answer(response, renders.limits));
  studio.script('submitRender', (request, response) =>
    answerSubmit({ studio, renders, grown: feed.grown }, tokenOf(request), bodyOf('submitRender'), response),
  );
  studio.script('lookUpRenders', (_request, response) => {
    const { tokens } = bodyOf('lookUpRenders');
    const found = tokens.flatMap((token) => renders.renders.get(token) ?? []);
    answer(response, { renders: found, ledger_seq: studio.balance.ledger_seq });
  });
  studio.script('tombstoneRender', (request, response) => {
    const token = tokenOf(request);
    const render = renders.renders.get(token);
    if (render === undefined) renders.tombstoned.add(token);
    answer(response, render === undefined ? { outcome: 'barred' } : { outcome: 'known', render });
  });
  studio.script('readChanges', (_request, response) =>
    answerChanges(studio.account.id, feed, bodyOf('readChanges'), response),
  );
  return renders;
}

function charge(
  studio: ScriptedStudio,
  renders: ScriptedRenders,
  token: string,
  millicredits: number,
): number {
  renders.ledger.push({ token, millicredits });
  studio.balance.lifetime_millicredits += millicredits;
  return ++studio.balance.ledger_seq;
}

async function answerSubmit(
  { studio, renders, grown }: { studio: ScriptedStudio; renders: ScriptedRenders; grown: EventEmitter },
  token: string,
  body: StudioBody<'submitRender'>,
  response: ServerResponse,
): Promise<void> {
  renders.submits.push(token);
  grown.emit('more');
  await renders.hold;
  // A repeated submit of a known token uses no script, unless answers are to be lost.
  const scripted = !renders.renders.has(token) || renders.next[0] === 'lose-answer';
  const script = scripted ? renders.next.shift() : undefined;
  if (script === 'lose-request') return void response.destroy();
  if (typeof script === 'object') return answer(response, script.outcome);
  if (renders.tombstoned.has(token)) return answer(response, { outcome: 'barred' });
  const render = structuredClone(take(studio, renders, token, body));
  if (script === 'lose-answer') return void response.destroy();
  if (script === 'finish-first') {
    renders.finish(token);
    await sleep(300);
  }
  answer(response, { outcome: 'accepted', render } satisfies SubmitAnswer);
}

function take(
  studio: ScriptedStudio,
  renders: ScriptedRenders,
  token: string,
  { request }: StudioBody<'submitRender'>,
): Render {
  const known = renders.renders.get(token);
  if (known !== undefined) return known;
  const render: Render = {
    token,
    render_id: newId('rnd_'),
    kind: request.kind,
    status: 'queued',
    prompt_id: newId('prm_'),
    project_id: request.project_id ?? 'prj_api',
    cost_millicredits: 4_000,
    ledger_seq: charge(studio, renders, token, -4_000),
    expected_outputs: 1,
    outputs: [],
    error: null,
    accepted_at: new Date().toISOString(),
    completed_at: null,
  };
  renders.renders.set(token, render);
  renders.tell({ token, render: structuredClone(render) });
  return render;
}

async function answerChanges(
  account: string,
  feed: Feed,
  { accounts, wait_seconds: seconds }: StudioBody<'readChanges'>,
  response: ServerResponse,
): Promise<void> {
  const cursor = accounts.find((asked) => asked.account === account)?.cursor ?? Number.MAX_SAFE_INTEGER;
  const over = new AbortController();
  response.once('close', () => over.abort());
  const timer = setTimeout(() => over.abort(), seconds * 1_000);
  for (; !over.signal.aborted; await grows(feed.grown, over.signal)) {
    const status = feed.told.shift();
    const changes = feed.changes.filter(({ seq }) => seq > cursor).slice(0, 200);
    const told =
      status === 'ended'
        ? { account, status }
        : status === 'reset'
          ? { account, status, cursor: feed.changes.length }
          : changes.length > 0
            ? { account, status: 'changes', changes, cursor: changes.at(-1)?.seq }
            : undefined;
    if (told === undefined) continue;
    clearTimeout(timer);
    return answer(response, { accounts: [told] });
  }
  clearTimeout(timer);
  if (!response.destroyed) answer(response, { accounts: [] });
}

/** Resolves at the next growth, or when the signal aborts. */
async function grows(grown: EventEmitter, signal?: AbortSignal): Promise<void> {
  await once(grown, 'more', signal && { signal }).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}

function answer(response: ServerResponse, json: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

function tokenOf(request: IncomingMessage): string {
  return /renders\/([^/?]+)/.exec(request.url ?? '')?.[1] ?? '';
}

function anOutput(origin: string): Render['outputs'][number] {
  const id = newId('out_');
  return {
    id,
    type: 'image',
    url: `${origin}/media/${id}.png`,
    thumb_url: null,
    width: 64,
    height: 64,
    duration: null,
    nsfw: false,
    request_id: 0,
  };
}
