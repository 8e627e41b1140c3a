import type { ProgressRequest, RenderPreview, RenderProgress } from '@renderkit/contract/studio/progress.ts';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Range } from '@renderkit/server-kit/work/range-cache.ts';
import { waitForWake, type Wakeups } from '../changes/watch-changes.ts';
import { extendWatches, type ProgressRow, readProgress, readWaits, type WaitRow } from './store.ts';
import { finishesIn, startsIn, type TakenTimes } from './taken-times.ts';

/** For so many seconds after a request, its renders count as watched. */
const watchSeconds = 30;
// Positions in queues change, and a notification may get lost.
const floorMs = 2_000;
/** Queries for all watched renders take at most 1/20 of the time. */
const looksShare = 20;
// Reports of many renders are answered together.
const gatherMs = 50;

type Watched = ProgressRequest['renders'][number];
type Answer = StudioAnswer<'readProgress'>;

export type WatchProgressDependencies = {
  database: Database;
  /** Notifications about renders whose progress changed. */
  wakeups: Wakeups;
  taken: TakenTimes;
  /** Notifies the worker of a render that somebody begins to watch it. */
  announceWatch: (render: string) => void;
};

export type WatchProgressOptions = {
  client: string;
  watched: readonly Watched[];
  waitMs: number;
  /** Aborted when the client has gone or the studio stops. The answer is then what is there. */
  signal: AbortSignal;
};

/**
 * Answers as soon as one of the renders has progress that the client does not have yet. Answers with empty lists when
 * the time is up. While somebody asks, the workers report more often and make previews (`reporter.ts`). Holds no
 * database connection while it waits. `studio/sql/functions/queue_reason.sql` decides why a render waits.
 */
export async function watchProgress(
  { database, wakeups, taken, announceWatch }: WatchProgressDependencies,
  { client, watched, waitMs, signal }: WatchProgressOptions,
): Promise<Answer> {
  const byRender = new Map<string, Watched>();
  const woken = new Set<string>();
  let onWake: (() => void) | undefined;
  // Subscribes before the first look, so that changes during this look are not missed.
  const unsubscribe = wakeups.subscribe((ids) => {
    for (const id of ids) woken.add(id);
    if (ids.some((id) => byRender.has(id))) onWake?.();
  });
  try {
    const deadline = performance.now() + waitMs;
    let lookAt = watched;
    let pauseMs = floorMs;
    for (;;) {
      const lookedAt = performance.now();
      const rows = await readProgress(database, client, lookAt);
      for (const { place, render } of rows)
        if (render !== null) byRender.set(render, lookAt[place] as Watched);
      if (lookAt === watched)
        for (const render of await extendWatches(database, idsUnderWay(rows), watchSeconds))
          announceWatch(render);
      const answer = await answerOf(rows, lookAt, { database, taken });
      if (answer.renders.length > 0 || answer.ended.length > 0) return answer;
      const left = deadline - performance.now();
      if (left <= 0 || signal.aborted) return answer;
      if (lookAt === watched) pauseMs = Math.max(floorMs, looksShare * (performance.now() - lookedAt));
      const isWoken = [...woken].some((id) => byRender.has(id));
      await waitForWake(
        { ms: Math.min(left, pauseMs), gatherMs, isWoken },
        signal,
        (wake) => (onWake = wake),
      );
      const moved = [...woken].flatMap((id) => byRender.get(id) ?? []);
      lookAt = moved.length > 0 ? moved : watched;
      woken.clear();
    }
  } finally {
    unsubscribe();
  }
}

const idsUnderWay = (rows: readonly ProgressRow[]) =>
  rows.flatMap(({ render, status }) => (render !== null && status !== 'ended' ? [render] : []));

async function answerOf(
  rows: readonly ProgressRow[],
  asked: readonly Watched[],
  { database, taken }: { database: Database; taken: TakenTimes },
): Promise<Answer> {
  const isOver = ({ render, status }: ProgressRow) => render === null || status === 'ended';
  const ended = rows.filter(isOver).map(({ place }) => {
    const { account, token } = asked[place] as Watched;
    return { account, token };
  });
  const waiting = rows.filter((row) => !isOver(row) && row.status === 'queued');
  const waits = await readWaits(
    database,
    waiting.map(({ render }) => render as string),
  );
  const waitOf = new Map(waits.map((wait) => [wait.render, wait]));
  const moved = rows.filter((row) => {
    const known = asked[row.place]?.revision;
    return !isOver(row) && revisionOf(row, waitOf.get(row.render as string)) !== known;
  });
  const ranges = await taken.read(
    moved.map(({ model, kind, expected_outputs: outputs }) => ({ model, kind, outputs })),
  );
  const renders = moved.map((row, i) =>
    present(row, asked[row.place] as Watched, {
      wait: waitOf.get(row.render as string),
      range: ranges[i] ?? null,
    }),
  );
  return { renders, ended };
}

/** Returns a value that changes when there is something new. The passing of time alone does not change the value. */
function revisionOf(row: ProgressRow, wait: WaitRow | undefined): string {
  return wait === undefined
    ? `${row.status} ${row.revision}`
    : `${wait.position}/${wait.of} ${wait.reason} ${row.outputs_done}`;
}

function present(
  row: ProgressRow,
  { account, token }: Watched,
  { wait, range }: { wait: WaitRow | undefined; range: Range | null },
): RenderProgress {
  const starts = wait && wait.reason !== 'engine_down' ? startsIn(wait.position, wait.running, range) : null;
  return {
    account,
    token,
    revision: revisionOf(row, wait),
    stage: row.stage ?? 'waiting_for_engine',
    fraction: row.fraction === null ? null : rounded(row.fraction, 1_000),
    step: row.step,
    steps: row.steps,
    outputs_done: row.outputs_done,
    queue: queueOf(row, wait),
    starts_in_seconds: shown(starts),
    finishes_in_seconds: shown(endsIn(row, starts, range)),
    preview: previewOf(row),
  };
}

function queueOf({ position }: ProgressRow, wait: WaitRow | undefined): RenderProgress['queue'] {
  if (wait !== undefined) {
    const { position: place, of, reason } = wait;
    return reason === null ? null : { position: place, of, reason };
  }
  return position === null ? null : { position: position + 1, of: null, reason: 'engine_busy' };
}

function endsIn(row: ProgressRow, starts: Range | null, taken: Range | null): Range | null {
  if (row.status === 'running') return finishesIn(row.run_seconds ?? 0, taken);
  return starts && taken && { low: starts.low + taken.low, high: starts.high + taken.high };
}

function previewOf({ preview, ...row }: ProgressRow): RenderPreview | null {
  const { preview_index: index, preview_width: width, preview_height: height } = row;
  if (index === null || width === null || height === null) return null;
  const jpeg = preview === null ? {} : { jpeg: preview.toString('base64') };
  return { index, revision: row.preview_revision, width, height, ...jpeg };
}

const rounded = (value: number, parts: number) => Math.round(value * parts) / parts;
const shown = (range: Range | null) =>
  range === null ? null : { low: rounded(range.low, 10), high: rounded(range.high, 10) };
