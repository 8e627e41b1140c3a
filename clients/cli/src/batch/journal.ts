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

/** An event of a row. Each entry is one line of the journal. */
export type Entry =
  /** Written before the create is sent: the attempt, the exact request, and the estimated price. */
  | {
      type: 'sent';
      row: string;
      attempt: number;
      request: Record<string, unknown>;
      credits: number;
      at: string;
    }
  /** Written a second time, with the names of the row's files, before the first file is written. */
  | { type: 'created'; row: string; attempt: number; generation: string; files?: string[] }
  | {
      type: 'done';
      row: string;
      attempt: number;
      status: 'succeeded' | 'failed';
      credits: number;
      /** Why the row failed, or why some of its files are missing. */
      error?: string;
      outputs: string[];
      files: string[];
      /** The row is made and paid, but files are missing. The next run fetches these files. */
      unsaved?: boolean;
    };

/** The latest known state of a row. */
export type RowState = {
  sent: Extract<Entry, { type: 'sent' }>;
  generation?: string;
  /** Names of the row's files, whether the files exist or not. */
  files?: string[];
  done?: Extract<Entry, { type: 'done' }>;
};

/**
 * Records what was done for the rows of a batch, in a file next to the batch file. Each entry is on the disk before the
 * action that it describes. A run after a `kill -9` therefore sends the same request with the same key, which is
 * charged once. `makeBatch` in `commands/batch.ts` leaves out the rows that are done.
 */
export class Journal implements Disposable {
  readonly #batch: string;
  readonly #states: Map<string, RowState>;
  readonly #files: Set<string>;
  readonly #handle: number;
  #account: string | undefined;
  /** The lock file while this process makes rows. `undefined` when the journal is only read. */
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
   * Opens the journal of a batch, or creates it.
   *
   * @param purpose `make` to make its rows, which only one process may do at a time, or `look`
   * @throws CliError when the file is not a journal, or another process makes the rows
   */
  static open(file: string, purpose: 'make' | 'look'): Journal {
    // Takes the lock before reading, so that no entry of another run is missed.
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
      // Ends a line that a crash cut off, so that the next entry starts on a new line. The cut-off line is ignored.
      if (purpose === 'make' && !text.endsWith('\n')) writeSync(journal.#handle, '\n');
      return journal;
    } catch (error) {
      if (lock !== undefined) rmSync(lock, { force: true });
      throw error;
    }
  }

  /**
   * Records which account owns the batch, unless an account is recorded.
   *
   * @throws CliError when the batch belongs to another account. This account could not see its generations and would
   *   make them again.
   */
  checkAccount(account: string): void {
    if (this.#account !== undefined && this.#account !== account)
      throw new CliError('This batch was begun with another account. Nothing was sent.', {
        code: 'other_account',
        advice: 'Use the key, the profile and the address that it was begun with.',
      });
    // An earlier version may have begun this batch; its account is unknown.
    if (this.#account !== undefined || this.#states.size > 0 || this.#lock === undefined) return;
    this.#write({ type: 'account', id: account });
    this.#account = account;
  }

  stateOf(row: string): RowState | undefined {
    return this.#states.get(row);
  }

  /**
   * Returns the idempotency key of one attempt of a row. Every run computes the same key. `makeRow` in `run-batch.ts`
   * counts the attempts.
   */
  keyOf(row: string, attempt: number): string {
    return `batch-${this.#batch}-${row}-${attempt}`;
  }

  /** Appends an entry. The entry is on the disk when this method returns. */
  append(entry: Entry): void {
    this.#write(entry);
    apply(this.#states, entry);
    if ('files' in entry) for (const file of entry.files ?? []) this.#files.add(file);
  }

  /** Returns whether a row's file has this name. */
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

/**
 * Creates a file with its whole text. Returns `false` when the file exists. When two processes try at once, only one
 * succeeds.
 */
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
 * Takes the lock of a batch. Two processes that make rows at once would pay only once, because of the keys. But they
 * would upload files twice and report one of two requests as failed. The lock of a killed process is taken over.
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
  // Ignores entries of an earlier attempt: two runs at once may have written them.
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
