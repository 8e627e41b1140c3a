import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { CliError } from '../cli-error.ts';

/** What has become of a row. Each entry is a line of the journal. */
export type Entry =
  /** Written before the create is sent: the request as it goes out, its key, and the price that was told. */
  | {
      type: 'sent';
      row: string;
      attempt: number;
      request: Record<string, unknown>;
      credits: number;
      at: string;
    }
  /** Comes again, with the names of its files, before the first of them is written. */
  | { type: 'created'; row: string; attempt: number; generation: string; files?: string[] }
  | {
      type: 'done';
      row: string;
      attempt: number;
      status: 'succeeded' | 'failed';
      credits: number;
      /** Why it failed, or why files of it are missing. */
      error?: string;
      outputs: string[];
      files: string[];
      /** It is made and paid, and the next run gets the files that are missing. */
      unsaved?: boolean;
    };

/** The last that is known of a row. */
export type RowState = {
  sent: Extract<Entry, { type: 'sent' }>;
  generation?: string;
  /** Names that were given to its files, whether they are there or not. */
  files?: string[];
  done?: Extract<Entry, { type: 'done' }>;
};

/**
 * What was done for the rows of a batch, in a file beside it. An entry is on the disk before what it tells of is
 * done, so that a run after a `kill -9` sends the very same request under the very same key, which is charged once.
 */
export class Journal implements Disposable {
  readonly #batch: string;
  readonly #states: Map<string, RowState>;
  readonly #files: Set<string>;
  readonly #handle: number;
  #account: string | undefined;
  /** Held while rows are made; undefined for whoever only looks. */
  readonly #lock: string | undefined;

  private constructor(
    file: string,
    known: { batch: string; lines: readonly string[]; lock: string | undefined },
  ) {
    const entries = known.lines.map(parse);
    this.#lock = known.lock;
    this.#batch = known.batch;
    this.#states = statesOf(entries);
    this.#files = new Set(
      [...this.#states.values()].flatMap(({ files, done }) => files ?? done?.files ?? []),
    );
    this.#account = accountOf(entries);
    this.#handle = openSync(file, 'a');
  }

  /**
   * Opens the journal of a batch, or begins one.
   *
   * @param purpose to `make` its rows, which one process does at a time, or to `look`
   * @throws CliError where the file is none, or another process makes the rows
   */
  static open(file: string, purpose: 'make' | 'look'): Journal {
    // Before it is read: what another run notes after that would be missed.
    const lock = purpose === 'make' ? takeLock(`${file}.lock`) : undefined;
    try {
      createWhole(file, `${JSON.stringify({ type: 'batch', id: randomUUID().slice(0, 18) })}\n`);
      const text = readFileSync(file, 'utf8');
      const [head = '', ...lines] = text.split('\n');
      const batch = batchOf(head);
      if (batch === undefined)
        throw new CliError(`${file} is no journal of a batch.`, {
          advice: 'Move it away: what it tells of would be made, and charged, again.',
        });
      const journal = new Journal(file, { batch, lines, lock });
      // A line that was cut off by a crash counts for nothing, and must not swallow the next one.
      if (purpose === 'make' && !text.endsWith('\n')) writeSync(journal.#handle, '\n');
      return journal;
    } catch (error) {
      if (lock !== undefined) rmSync(lock, { force: true });
      throw error;
    }
  }

  /**
   * Notes whose generations it tells of, where it tells of none yet.
   *
   * @throws CliError where they are another account's: they could not be seen, and would be made again there
   */
  checkAccount(account: string): void {
    if (this.#account !== undefined && this.#account !== account)
      throw new CliError('This batch was begun with another account. Nothing was sent.', {
        code: 'other_account',
        advice: 'Use the key, the profile and the address that it was begun with.',
      });
    // Of one that an earlier version has begun nobody knows.
    if (this.#account !== undefined || this.#states.size > 0 || this.#lock === undefined) return;
    this.#write({ type: 'account', id: account });
    this.#account = account;
  }

  stateOf(row: string): RowState | undefined {
    return this.#states.get(row);
  }

  /** The same for one try of a row, whoever sends it. */
  keyOf(row: string, attempt: number): string {
    return `batch-${this.#batch}-${row}-${attempt}`;
  }

  /** Notes something; it is on the disk when this returns. */
  append(entry: Entry): void {
    this.#write(entry);
    apply(this.#states, entry);
    if ('files' in entry) for (const file of entry.files ?? []) this.#files.add(file);
  }

  /** Whether a file of a row was given this name. */
  hasFile(name: string): boolean {
    return this.#files.has(name);
  }

  #write(entry: object): void {
    writeSync(this.#handle, `${JSON.stringify(entry)}\n`);
    fsyncSync(this.#handle);
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
    if (this.#lock !== undefined) rmSync(this.#lock, { force: true });
  }
}

/** Writes a file that is not there yet; false where it is. Of two that try at once one wins. */
function createWhole(file: string, text: string): boolean {
  const partial = `${file}.${process.pid}.part`;
  writeFileSync(partial, text);
  try {
    linkSync(partial, file);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(partial, { force: true });
  }
}

/**
 * Two that make rows at once would pay once, by their keys, but send a file twice and call one of the two requests failed.
 * What a killed process has left is taken over.
 */
function takeLock(lock: string): string {
  while (!createWhole(lock, String(process.pid))) {
    const holder = Number(readFileSync(lock, 'utf8'));
    if (isAlive(holder))
      throw new CliError(`Another run of this batch is under way, process ${holder}.`, {
        code: 'busy',
        advice: `Wait for it, or remove ${lock} if that process is another program.`,
      });
    rmSync(lock, { force: true });
  }
  return lock;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

function batchOf(head: string): string | undefined {
  const entry = parse(head) as { type?: unknown; id?: unknown } | undefined;
  return entry?.type === 'batch' && typeof entry.id === 'string' ? entry.id : undefined;
}

function accountOf(entries: readonly unknown[]): string | undefined {
  const shapes = entries as ({ type?: unknown; id?: string } | null | undefined)[];
  return shapes.find((entry) => entry?.type === 'account')?.id;
}

function statesOf(entries: readonly unknown[]): Map<string, RowState> {
  const states = new Map<string, RowState>();
  for (const entry of entries as (Entry | undefined)[]) if (entry !== undefined) apply(states, entry);
  return states;
}

function apply(states: Map<string, RowState>, entry: Entry): void {
  const state = states.get(entry.row);
  if (entry.type === 'sent') states.set(entry.row, { sent: entry });
  // What two runs at once have written of an earlier try changes nothing of a later one.
  else if (state === undefined || state.sent.attempt !== entry.attempt) return;
  else if (entry.type === 'created') {
    state.generation = entry.generation;
    if (entry.files !== undefined) state.files = entry.files;
  } else if (entry.type === 'done') state.done = entry;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
