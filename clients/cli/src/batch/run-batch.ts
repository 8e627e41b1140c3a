import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Renderkit from 'renderkit';
import { type Generation, RenderkitError } from 'renderkit';
import { exitCodes } from '../cli-error.ts';
import { failureOf } from '../failure.ts';
import { createKinds, severalReferences, singleReferences } from '../create/kinds.ts';
import { fileOf } from '../inputs.ts';
import { outputNames } from '../save-outputs.ts';
import { save } from 'renderkit/node';
import type { Journal, RowState } from './journal.ts';
import type { Row } from './read-rows.ts';

export type BatchOptions = {
  client: Renderkit;
  journal: Journal;
  /** Paths of files in rows count from here. */
  folder: string;
  /** Rows at once. */
  concurrency: number;
  /** Where the outputs go; nowhere when left out. */
  out: string | undefined;
  /** Of the files, with {row}, {slug} and {id}. */
  name: string;
  /** What each row is thought to cost. */
  priceOf: (row: Row) => number;
  /** Whether a row that costs more than that is refused; else whatever it costs was agreed to. */
  isCapped: boolean;
  signal: AbortSignal;
  onChange: (row: Row, state: RowState | undefined) => void;
};

const busyPauseMs = 15_000;

/**
 * Makes the rows, some at once, each to its end. A refusal that would meet every row (no credits, no valid key, no service)
 * ends the run after what is under way.
 *
 * @throws RenderkitError that refusal
 */
export async function runBatch(rows: readonly Row[], options: BatchOptions): Promise<void> {
  const waiting = [...rows];
  const refused = new AbortController();
  let pause = Promise.resolve();
  const work = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      if (refused.signal.aborted || options.signal.aborted) return;
      await pause;
      try {
        await makeRow(row, options);
      } catch (error) {
        if (!isBusy(error)) return refused.abort(error);
        // All wait, and the row is sent again under its key.
        waiting.unshift(row);
        pause = sleep((error.retryAfter ?? 0) * 1000 || busyPauseMs, undefined, {
          signal: options.signal,
        }).catch(() => undefined);
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  if (refused.signal.aborted) throw refused.signal.reason;
}

function isBusy(error: unknown): error is RenderkitError {
  return RenderkitError.is(error) && (error.code === 'rate_limited' || error.code === 'queue_full');
}

async function makeRow(row: Row, options: BatchOptions): Promise<void> {
  const { journal, client, signal, onChange } = options;
  const before = journal.stateOf(row.id);
  const isAgain = before?.done?.status === 'failed';
  const attempt = before === undefined ? 1 : before.sent.attempt + (isAgain ? 1 : 0);
  const at = { row: row.id, attempt };
  const fail = (error: string) => {
    journal.append({ type: 'done', ...at, status: 'failed', credits: 0, error, outputs: [], files: [] });
    onChange(row, journal.stateOf(row.id));
  };
  let generation = isAgain ? undefined : before?.generation;
  try {
    if (generation === undefined) {
      // What was sent before goes out again as it was, the ids of its files too.
      const request =
        before === undefined || isAgain ? await resolveFiles(row, options) : before.sent.request;
      if (before === undefined || isAgain)
        journal.append({
          type: 'sent',
          ...at,
          request,
          credits: options.priceOf(row),
          at: new Date().toISOString(),
        });
      onChange(row, journal.stateOf(row.id));
      const kind = row.kind === 'edit' ? 'image_edit' : row.kind;
      const created = await createKinds[kind].send(client, request, {
        idempotencyKey: journal.keyOf(row.id, attempt),
        // As it was agreed to for this run: what an earlier one has paid is answered whatever the limit.
        maxCredits: options.isCapped ? options.priceOf(row) : undefined,
        signal,
      });
      generation = created.id;
      journal.append({ type: 'created', ...at, generation });
    }
    onChange(row, journal.stateOf(row.id));
    const done = await client.generations.wait(generation, { signal });
    const files = await saveFiles(row, done, options);
    const outputs = done.outputs.map(({ id }) => id);
    journal.append({
      type: 'done',
      ...at,
      status: 'succeeded',
      credits: done.cost.credits ?? 0,
      outputs,
      files,
    });
    onChange(row, journal.stateOf(row.id));
  } catch (error) {
    if (!isOfTheRow(error)) throw error;
    fail(`${error.code}: ${error.message}`);
  }
}

/** Whether a refusal tells of this row alone, so that the next one may do better. */
function isOfTheRow(error: unknown): error is RenderkitError {
  if (!RenderkitError.is(error)) return false;
  const { exitCode } = failureOf(error) ?? {};
  return (
    exitCode === exitCodes.usage ||
    exitCode === exitCodes.failed ||
    exitCode === exitCodes.moderation ||
    error.code === 'tier_required' ||
    error.code === 'not_found' ||
    error.code === 'unprocessable' ||
    error.code === 'conflict'
  );
}

/** The request with the ids of its files, which are sent here. */
async function resolveFiles(
  { request }: Row,
  { client, folder, signal }: BatchOptions,
): Promise<Record<string, unknown>> {
  const send = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map(send));
    if (typeof value !== 'string' || !value.startsWith('@')) return value;
    const file = await fileOf(path.resolve(folder, value.slice(1)));
    return (await client.uploads.create(file, { signal })).id;
  };
  const entries = Object.entries(request).map(async ([name, value]) => [
    name,
    fileFields.has(name) ? await send(value) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries)) as Record<string, unknown>;
}

const fileFields = new Set<string>([...singleReferences, ...severalReferences]);

async function saveFiles(row: Row, done: Generation, { client, out, name }: BatchOptions): Promise<string[]> {
  if (out === undefined) return [];
  mkdirSync(out, { recursive: true });
  const prompt = typeof row.request['prompt'] === 'string' ? row.request['prompt'] : row.kind;
  const values: Record<string, string> = {
    row: String(row.line).padStart(4, '0'),
    slug: slugOf(prompt),
    id: done.id,
  };
  const file = name.replace(/\{(row|slug|id)\}/g, (_whole, key: string) => values[key] ?? '');
  const names = outputNames(done.outputs, path.join(out, file.replace(/[/\\]/g, '-')));
  for (const [i, output] of done.outputs.entries())
    await save(await client.fetchOutput(output), names[i] ?? output.id);
  return names;
}

function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, 40) || 'row';
}
