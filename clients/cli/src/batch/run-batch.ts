import { setTimeout as sleep } from 'node:timers/promises';
import { type Generation, RenderkitError } from 'renderkit';
import { CliError } from '../cli-error.ts';
import { createKinds } from '../create/kinds.ts';
import type { RowState } from './journal.ts';
import type { Price } from './price-rows.ts';
import type { Row } from './read-rows.ts';
import type { RowFiles } from './row-files.ts';
import { isOfTheRow } from './row-refusal.ts';
import { type SaveOptions, saveRow } from './save-row.ts';

export type BatchOptions = SaveOptions & {
  files: RowFiles;
  /** How many rows may run at once. */
  concurrency: number;
  /** The estimated price of a row. `undefined` for a row that is paid. */
  priceOf: (row: Row) => Price | undefined;
  /**
   * If `true`, a row is refused when it costs more than its estimate or has no known price. If `false`, any price was
   * agreed to.
   */
  isCapped: boolean;
  signal: AbortSignal;
  onChange: (row: Row, state: RowState | undefined) => void;
};

const busyPauseMs = 15_000;

/**
 * Makes the rows, several at once, and waits for each to finish. An error that would affect every row (no credits, no
 * valid key, no service) ends the run after the rows in progress. `makeBatch` in `clients/cli/src/commands/batch.ts`
 * chooses the rows.
 *
 * @throws RenderkitError this error
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
        // All rows wait, then this row is sent again with its key.
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

type At = { row: string; attempt: number };

async function makeRow(row: Row, options: BatchOptions): Promise<void> {
  const { journal, onChange } = options;
  const before = journal.stateOf(row.id);
  const isAgain = before?.done?.status === 'failed';
  const attempt = before === undefined ? 1 : before.sent.attempt + (isAgain ? 1 : 0);
  const at = { row: row.id, attempt };
  const fail = ({ code, message }: RenderkitError) => {
    const error = `${code}: ${message}`;
    journal.append({ type: 'done', ...at, status: 'failed', credits: 0, error, outputs: [], files: [] });
    onChange(row, journal.stateOf(row.id));
  };
  let generation = isAgain ? undefined : before?.generation;
  try {
    generation ??= await create(row, at, options);
  } catch (error) {
    if (!isOfTheRow(error)) throw error;
    return fail(error);
  }
  onChange(row, journal.stateOf(row.id));
  const done = await waitFor(generation, options);
  if (RenderkitError.is(done)) return fail(done);
  const saved = await saveRow(row, done, at, options);
  const outputs = done.outputs.map(({ id }) => id);
  const credits = done.cost.credits ?? 0;
  journal.append({ type: 'done', ...at, status: 'succeeded', credits, outputs, ...saved });
  onChange(row, journal.stateOf(row.id));
}

/** Records and sends the create of a row. @throws RenderkitError */
async function create(row: Row, at: At, options: BatchOptions): Promise<string> {
  const { journal, client, files, priceOf, isCapped, signal } = options;
  const price = priceOf(row);
  const refusal = isCapped && price !== undefined && 'refusal' in price ? price.refusal : undefined;
  const credits = price !== undefined && 'credits' in price ? price.credits : 0;
  const { sent } = journal.stateOf(row.id) ?? {};
  // An attempt that was sent before is sent again unchanged, including the ids of its files.
  const isSent = sent?.attempt === at.attempt;
  const begin = async () => (refusal === undefined ? await files.resolve(row.request, signal) : row.request);
  const request = isSent ? sent.request : await begin();
  if (!isSent) journal.append({ type: 'sent', ...at, request, credits, at: new Date().toISOString() });
  options.onChange(row, journal.stateOf(row.id));
  // Nobody agreed to this row's price, and the service would refuse the create as it refused the estimate.
  if (refusal !== undefined) throw refusal;
  const kind = row.kind === 'edit' ? 'image_edit' : row.kind;
  const created = await createKinds[kind].send(client, request, {
    idempotencyKey: journal.keyOf(row.id, at.attempt),
    // The limit of this run. If an earlier run paid for this create, the service returns it whatever the limit.
    maxCredits: isCapped ? credits : undefined,
    signal,
  });
  journal.append({ type: 'created', ...at, generation: created.id });
  return created.id;
}

/**
 * Waits for a generation and returns it when it has succeeded, else the error that it ended with.
 *
 * @throws any error that ends only the wait. The generation is paid and continues, so its row has not failed.
 */
async function waitFor(
  generation: string,
  { client, signal }: BatchOptions,
): Promise<Generation | RenderkitError> {
  try {
    return await client.generations.wait(generation, { signal });
  } catch (error) {
    if (!RenderkitError.is(error)) throw error;
    if (error.generation !== undefined) return error;
    if (error.code !== 'not_found') throw error;
    throw new CliError(`${generation} was made for this batch, and this key does not see it.`, {
      code: 'not_found',
      advice: 'Use the key, the profile and the address that the batch was begun with.',
      generationId: generation,
    });
  }
}
