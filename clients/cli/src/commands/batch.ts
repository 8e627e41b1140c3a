import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RenderkitError } from 'renderkit';
import { countOf, sumCredits } from '../amounts.ts';
import { Journal, type RowState } from '../batch/journal.ts';
import { readRows, type Row, rowKinds, type RowKind } from '../batch/read-rows.ts';
import { type Price, priceRows } from '../batch/price-rows.ts';
import { RowFiles } from '../batch/row-files.ts';
import { runBatch } from '../batch/run-batch.ts';
import { command } from '../command.ts';
import { CliError, exitCodes, UsageError } from '../cli-error.ts';
import type { Option, Values } from '../options.ts';
import { table } from '../table.ts';
import { checkPrice, priceOptions } from '../price.ts';
import { prepareFolder } from '../save-outputs.ts';
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
  name: {
    form: 'NAME',
    about:
      'of the files; {row}-{slug} when left out, {id} is the generation. No file is written over: where there is one the id follows',
  },
  'dry-run': { about: 'tell the price and make nothing' },
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
  const isDry = values['dry-run'] === true;
  using journal = Journal.open(journalOf(file), isDry ? 'look' : 'make');
  const account = await accountOf(session);
  if (account !== undefined) journal.checkAccount(account);
  const due = rows.filter(({ id }) => {
    const { done } = journal.stateOf(id) ?? {};
    if (done?.status === 'failed') return values['retry-failed'] === true;
    return done === undefined || (done.unsaved === true && values.out !== undefined);
  });
  const unpaid = due.filter(
    ({ id }) => journal.stateOf(id)?.generation === undefined || isAgain(journal, id),
  );
  if (values.out !== undefined && !isDry) prepareFolder(path.join(values.out, '/'));
  const files = new RowFiles(session.client, path.dirname(file));
  const prices = await priceRows(session, unpaid, { journal, files });
  const maxCredits = await agree(session, values, { rows, due, unpaid, prices }).catch(
    async (error: unknown) => {
      await files.remove();
      throw error;
    },
  );
  if (isDry) return await files.remove();
  await makeAll(session, rows, due, {
    journal,
    files,
    concurrency: values.concurrency === undefined ? 4 : countOf(values.concurrency, 'concurrency'),
    out: values.out,
    name: values.name ?? '{row}-{slug}',
    priceOf: ({ id }) => prices.get(id),
    isCapped: maxCredits !== undefined,
  });
  finish(session, file, rows, journal);
}

/** Returns the id of the key's account. `undefined` where the service does not return it. */
async function accountOf({ client }: Session): Promise<string | undefined> {
  try {
    return (await client.account.retrieve()).id;
  } catch (error) {
    if (RenderkitError.is(error) && (error.code === 'not_found' || error.code === 'forbidden'))
      return undefined;
    throw error;
  }
}

/** Returns the price limit, as `checkPrice` does. In a dry run, prints the price as the result. */
async function agree(
  session: Session,
  values: RunValues,
  batch: { rows: Row[]; due: Row[]; unpaid: Row[]; prices: Map<string, Price> },
): Promise<number | undefined> {
  const { rows, due, unpaid, prices } = batch;
  const told = unpaid.map(({ id }) => prices.get(id)).filter((price) => price !== undefined);
  const credits = sumCredits(told.map((price) => ('credits' in price ? price.credits : 0)));
  const unpriced = told.filter((price) => 'refusal' in price).length;
  if (values['dry-run'] !== true)
    return checkPrice(session, values, () => Promise.resolve({ credits, balance: null }));
  const without = unpriced === 0 ? '' : `; ${unpriced} have no price, and are not made without --yes`;
  const result = { rows: rows.length, due: due.length, credits, unpriced };
  session.output.result(result, [String(credits)], () => [
    `${due.length} of ${rows.length} rows, ${credits} credits${without}`,
  ]);
  return undefined;
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

/**
 * Prints the summary and writes the results table next to the file.
 *
 * @throws CliError with exit code 3 when rows have failed, 1 when files are missing
 */
function finish({ output }: Session, file: string, rows: readonly Row[], journal: Journal): void {
  const results = `${file}.results.csv`;
  const reports = rows.map((row) => reportOf(row, journal.stateOf(row.id)));
  const head = ['line', 'status', 'generation', 'credits', 'outputs', 'files', 'error'] as const;
  const lines = [
    head.join(','),
    ...reports.map((report) => head.map((name) => csvCell([report[name] ?? ''].flat().join(' '))).join(',')),
  ];
  writeFileSync(results, `${lines.join('\n')}\n`);
  const { succeeded, failed, unsaved, credits } = countsOf(rows, journal);
  output.note(`${succeeded} of ${rows.length} rows done, ${failed} failed, ${credits} credits: ${results}`);
  if (failed > 0)
    throw new CliError(`${failed} rows failed.`, {
      exitCode: exitCodes.failed,
      code: 'rows_failed',
      advice: `${results} tells why; the same command with --retry-failed makes them again.`,
    });
  if (unsaved > 0)
    throw new CliError(`Files of ${unsaved} rows are missing. The rows are made and paid.`, {
      code: 'not_saved',
      advice: `${results} tells why; the same command gets them, and pays nothing for it.`,
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
    unsaved: states.filter((state) => state?.done?.unsaved === true).length,
    credits: sumCredits(states.map((state) => state?.done?.credits ?? 0)),
  };
}

/** Returns a cell of a CSV. Puts a quote before a text that a spreadsheet would read as a formula. */
function csvCell(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
