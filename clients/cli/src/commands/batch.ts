import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { countOf } from '../amounts.ts';
import { Journal, type RowState } from '../batch/journal.ts';
import { readRows, type Row, rowKinds, type RowKind } from '../batch/read-rows.ts';
import { runBatch } from '../batch/run-batch.ts';
import { command } from '../command.ts';
import { CliError, exitCodes, UsageError } from '../cli-error.ts';
import { fileOf } from '../inputs.ts';
import type { Option, Values } from '../options.ts';
import { table } from '../table.ts';
import { checkPrice, priceOptions } from '../price.ts';
import type { Session } from '../session.ts';

const rowOptions = {
  template: { form: 'TEXT', about: 'the prompt of every row, with {column} in it' },
  kind: { form: 'KIND', about: 'what rows are that do not say it; image when left out', choices: rowKinds },
} as const;

const runOptions = {
  ...rowOptions,
  ...priceOptions,
  concurrency: { short: 'c', form: 'N', about: 'rows at once; 4 when left out' },
  out: { form: 'DIR', about: 'write the outputs to this folder' },
  name: { form: 'NAME', about: 'of the files; {row}-{slug} when left out, {id} is the generation' },
  'dry-run': { about: 'tell the price and send nothing' },
} as const satisfies Record<string, Option>;

export const run = command({
  usage: 'FILE.csv|FILE.jsonl',
  about:
    'Makes a row after the other. What was done stands in FILE.state.jsonl: run it again after whatever happened, and it goes on without paying twice.',
  options: {
    ...runOptions,
    'retry-failed': { about: 'make what has failed again' },
    resume: {
      about: 'go on with what was begun, and begin nothing: refused where there is no FILE.state.jsonl',
    },
  },
  run: (session, words, values) => makeBatch(session, words, values),
});

export const retryFailed = command({
  usage: 'FILE.csv|FILE.jsonl',
  about: 'Makes the rows of a batch that have failed again, and those that are still due.',
  options: runOptions,
  run: (session, words, values) =>
    makeBatch(session, words, { ...values, 'retry-failed': true, resume: true }),
});

type RunValues = Values<typeof runOptions> & { 'retry-failed'?: boolean; resume?: boolean };

async function makeBatch(session: Session, words: string[], values: RunValues): Promise<void> {
  const { file, rows } = rowsOf(words, values);
  if (values.resume === true && !existsSync(journalOf(file)))
    throw new UsageError(
      `${file} was not begun here: there is no ${journalOf(file)}.`,
      'Leave --resume out to begin.',
    );
  using journal = Journal.open(journalOf(file), values['dry-run'] === true ? 'look' : 'make');
  const isDue = ({ id }: Row) => {
    const { done } = journal.stateOf(id) ?? {};
    return done === undefined || (done.status === 'failed' && values['retry-failed'] === true);
  };
  const due = rows.filter(isDue);
  const prices = await pricesOf(session, file, due);
  const priceOf = (row: Row) => prices.get(priceGroup(row)) ?? 0;
  const unpaid = due.filter(
    ({ id }) => journal.stateOf(id)?.generation === undefined || isAgain(journal, id),
  );
  const credits = sum(unpaid.map(priceOf));
  if (values['dry-run'] === true)
    return session.output.result({ rows: rows.length, due: due.length, credits }, [String(credits)], () => [
      `${due.length} of ${rows.length} rows, ${credits} credits`,
    ]);
  const maxCredits = await checkPrice(session, values, () => Promise.resolve({ credits, balance: null }));
  await makeAll(session, rows, due, {
    journal,
    folder: path.dirname(file),
    concurrency: values.concurrency === undefined ? 4 : countOf(values.concurrency, 'concurrency'),
    out: values.out,
    name: values.name ?? '{row}-{slug}',
    priceOf,
    isCapped: maxCredits !== undefined,
  });
  finish(session, file, rows, journal);
}

export const status = command({
  usage: 'FILE.csv|FILE.jsonl',
  about: 'Shows how far a batch is, by its journal alone.',
  options: rowOptions,
  run: (session, words, values) => {
    const { file, rows } = rowsOf(words, values);
    using journal = Journal.open(journalOf(file), 'look');
    const counts = countsOf(rows, journal);
    session.output.result(counts, [], () =>
      table(Object.entries(counts).map(([name, count]) => [name, String(count)])),
    );
    return Promise.resolve();
  },
});

const journalOf = (file: string) => `${file}.state.jsonl`;

function rowsOf(
  [file, another]: string[],
  values: { template?: string; kind?: string },
): { file: string; rows: Row[] } {
  if (file === undefined || another !== undefined)
    throw new UsageError('Name one file.', 'As: renderkit batch run posters.csv --out posters');
  const rows = readRows(file, { template: values.template, kind: (values.kind ?? 'image') as RowKind });
  if (rows.length === 0) throw new UsageError(`${file} has no rows.`);
  return { file, rows };
}

const isAgain = (journal: Journal, id: string) => journal.stateOf(id)?.done?.status === 'failed';

/** Rows that differ in their words alone cost the same. */
function priceGroup({ kind, request }: Row): string {
  const { prompt: _words, metadata: _notes, ...rest } = request;
  return JSON.stringify([kind, rest]);
}

async function pricesOf(
  { client, output }: Session,
  file: string,
  rows: readonly Row[],
): Promise<Map<string, number>> {
  const prices = new Map<string, number>();
  for (const row of rows) {
    const group = priceGroup(row);
    if (prices.has(group)) continue;
    output.progress(`asking for prices, ${prices.size} so far`);
    const kind = row.kind === 'edit' ? 'image_edit' : row.kind;
    const entries = Object.entries(row.request).map(async ([name, value]) => [
      name,
      await withFiles(value, file),
    ]);
    const request = { kind, ...Object.fromEntries(await Promise.all(entries)) } as Parameters<
      typeof client.estimate
    >[0];
    // What is wrong with a row is told when it is made: the others need not wait for that.
    const price = await client.estimate(request).catch((error: unknown) => {
      if ((error as { status?: unknown }).status === 400 || (error as { status?: unknown }).status === 422)
        return undefined;
      throw error;
    });
    // The next of the same price may be right, and is sent with what was told.
    if (price !== undefined) prices.set(group, price.credits);
  }
  return prices;
}

function withFiles(value: unknown, file: string): unknown {
  return typeof value === 'string' && value.startsWith('@')
    ? fileOf(path.resolve(path.dirname(file), value.slice(1)))
    : value;
}

type BatchOptions = Omit<Parameters<typeof runBatch>[1], 'client' | 'signal' | 'onChange'>;

async function makeAll(
  session: Session,
  rows: readonly Row[],
  due: readonly Row[],
  options: BatchOptions,
): Promise<void> {
  const { client, output } = session;
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  const onChange = (row: Row, state: RowState | undefined) => {
    const { done } = state ?? {};
    if (done !== undefined && output.isJson) output.json(reportOf(row, state));
    else if (done !== undefined && output.isQuiet) output.result(done, done.outputs, () => []);
    else if (done?.error !== undefined) output.note(`line ${row.line}: ${done.error}`);
    const { succeeded, failed, running, credits } = countsOf(rows, options.journal);
    output.progress(
      `${succeeded} of ${rows.length} done · ${failed} failed · ${running} under way · ${credits} credits`,
    );
  };
  try {
    await runBatch(due, { ...options, client, signal: interrupt.signal, onChange });
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', onInterrupt);
    output.clearLine();
  }
  if (interrupt.signal.aborted)
    throw new CliError('Interrupted; what is under way goes on without us.', {
      exitCode: exitCodes.interrupted,
      code: 'interrupted',
      advice: 'The same command goes on where it was.',
    });
}

/** The summary and the table beside the file. @throws CliError with exit code 3 where rows have failed */
function finish({ output }: Session, file: string, rows: readonly Row[], journal: Journal): void {
  const results = `${file}.results.csv`;
  const reports = rows.map((row) => reportOf(row, journal.stateOf(row.id)));
  const head = ['line', 'status', 'generation', 'credits', 'outputs', 'files', 'error'] as const;
  const lines = [
    head.join(','),
    ...reports.map((report) => head.map((name) => csvCell([report[name] ?? ''].flat().join(' '))).join(',')),
  ];
  writeFileSync(results, `${lines.join('\n')}\n`);
  const { succeeded, failed, credits } = countsOf(rows, journal);
  output.note(`${succeeded} of ${rows.length} rows done, ${failed} failed, ${credits} credits: ${results}`);
  if (failed > 0)
    throw new CliError(`${failed} rows failed.`, {
      exitCode: exitCodes.failed,
      code: 'rows_failed',
      advice: `${results} tells why; the same command with --retry-failed makes them again.`,
    });
}

function reportOf({ line }: Row, state: RowState | undefined) {
  const { done, generation } = state ?? {};
  return {
    line,
    status: done?.status ?? (state === undefined ? 'waiting' : 'running'),
    generation: generation ?? null,
    credits: done?.credits ?? null,
    outputs: done?.outputs ?? [],
    files: done?.files ?? [],
    error: done?.error ?? null,
  };
}

function countsOf(rows: readonly Row[], journal: Journal) {
  const states = rows.map(({ id }) => journal.stateOf(id));
  const ended = (wanted: 'succeeded' | 'failed') =>
    states.filter((state) => state?.done?.status === wanted).length;
  return {
    rows: rows.length,
    succeeded: ended('succeeded'),
    failed: ended('failed'),
    running: states.filter((state) => state !== undefined && state.done === undefined).length,
    waiting: states.filter((state) => state === undefined).length,
    credits: sum(states.map((state) => state?.done?.credits ?? 0)),
  };
}

/** In thousandths, so that no sum of tenths ends in ...0004. */
function sum(credits: readonly number[]): number {
  return credits.reduce((all, one) => all + Math.round(one * 1000), 0) / 1000;
}

/** A cell of a CSV; what a spreadsheet would take for a formula is led by a quote. */
function csvCell(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
