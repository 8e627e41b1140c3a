import { constants } from 'node:fs';
import { copyFile, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unusable } from '@renderkit/engine-kit/download.ts';
import {
  EngineFailure,
  type CreateDriver,
  type Driver,
  type DriverTools,
  type EngineHealth,
  type EngineJob,
  type EngineResult,
  type FollowedJob,
  type Handle,
  type Prepared,
  type PreparedMedia,
  type RouteFiles,
} from '@renderkit/engine-kit/driver.ts';
import type { EngineProgress } from '@renderkit/engine-kit/report.ts';
import { lostAnswer } from '@renderkit/engine-kit/held-answers.ts';
import { createPoll, pollJob } from '@renderkit/engine-kit/poll.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import {
  programFiles,
  readProgramState,
  startProgram,
  stopProgram,
  withdrawProgram,
  type ProgramEnd,
} from '@renderkit/engine-kit/supervised-program.ts';
import type { JsonValue } from '@renderkit/engine-kit/route.ts';
import { argumentsOf } from './arguments.ts';
import { checkCommandRoute } from './check.ts';
import { progressIn } from './progress.ts';

interface PreparedCommand {
  readonly run: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const usualPollMs = { first: 200, quiet: 2_000 };
/** How long the folders of jobs are kept, because a result may have to be read again. */
const keptMs = 24 * 60 * 60_000;
const tailBytes = 8 * 1024;
const stopMs = 15_000;

/**
 * Creates a driver that runs a program of the operator for each job. A separate supervisor runs the program, so it goes
 * on when its worker dies.
 */
export const createCommandDriver: CreateDriver = (tools) => new CommandDriver(tools);

class CommandDriver implements Driver {
  readonly #given: string | undefined;
  readonly #pollMs: NonNullable<DriverTools['pollMs']>;
  readonly #log: DriverTools['log'];

  constructor({ folder, pollMs, log }: DriverTools) {
    this.#given = folder;
    this.#pollMs = pollMs ?? usualPollMs;
    this.#log = log;
  }

  async prepare(job: EngineJob): Promise<Prepared> {
    const folder = this.#folderOf(job.id);
    const [out, media] = [join(folder, 'out'), join(folder, 'in')];
    await mkdir(out, { recursive: true, mode: 0o700 });
    await mkdir(media, { recursive: true, mode: 0o700 });
    const words = new Map<string, readonly string[]>([['out', [out]]]);
    for (const bound of job.values) {
      if (bound.kind === 'remove') words.set(bound.target, []);
      else if (bound.kind === 'plain') words.set(bound.target, [wordOf(bound.value)]);
      else words.set(bound.target, await Promise.all(bound.media.map((file) => bring(file, media))));
    }
    const { run = [], env = {} } = job.route;
    const prepared: PreparedCommand = {
      run: argumentsOf(run, words),
      env,
    };
    return prepared as unknown as Prepared;
  }

  async submit(prepared: Prepared, id: string, signal: AbortSignal): Promise<Handle> {
    const { run, env } = prepared as unknown as PreparedCommand;
    const folder = this.#folderOf(id);
    await this.#removeOld().catch((error: unknown) => this.#log.warn({ err: error }, 'old folders stay'));
    await startProgram(folder, { run, env, cwd: join(folder, 'out') }, signal);
    return id;
  }

  async find(_prepared: Prepared, id: string): Promise<{ handle: Handle } | 'absent'> {
    const state = await withdrawProgram(this.#folderOf(id));
    if (state === 'unknown') {
      throw new EngineFailure('A command is about to begin, or not: nobody can tell yet.', {
        blame: 'backend',
        code: 'engine_unavailable',
      });
    }
    return state === 'begun' ? { handle: id } : 'absent';
  }

  async *follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncGenerator<EngineProgress | EngineResult> {
    const folder = this.#folderOf(handle as string);
    const look = async (): Promise<{ news: EngineProgress } | { end: ProgramEnd | 'absent' | 'lost' }> => {
      const state = await readProgramState(folder);
      if (state === 'running') return { news: await this.#progress(folder, job.route.progress) };
      return { end: typeof state === 'object' ? state.ended : state };
    };
    const end = yield* pollJob<EngineProgress, ProgramEnd | 'absent' | 'lost'>(
      { pollMs: this.#pollMs },
      look,
      signal,
    );
    if (end === 'absent') throw lostAnswer('The command ran on a machine that is not this one.', job.route);
    if (end === 'lost') throw lostAnswer('The command was killed with its supervisor.', job.route);
    if (end.code !== 0) throw await this.#failureOf(folder, end);
    yield { type: 'result', files: await this.#collect(folder, job) };
  }

  async #progress(folder: string, pattern: string | undefined): Promise<EngineProgress> {
    const known = pattern === undefined ? {} : progressIn(await tailOf(folder), pattern);
    return { type: 'progress', stage: 'rendering', fraction: null, ...known };
  }

  async #failureOf(folder: string, { code, signal, error }: ProgramEnd): Promise<EngineFailure> {
    if (error !== null) {
      return new EngineFailure(`The command could not be run (${error}).`, {
        blame: 'pair',
        code: 'render_failed',
      });
    }
    const said = (await tailOf(folder))
      .trim()
      .split(/[\r\n]+/)
      .slice(-3)
      .join(' ');
    const how = signal === null ? `with ${code}` : `by ${signal}`;
    return new EngineFailure(`The command ended ${how}: ${said.slice(-300)}`, {
      blame: 'backend',
      code: /out of memory/i.test(said) ? 'out_of_memory' : 'render_failed',
    });
  }

  async #collect(folder: string, job: FollowedJob): Promise<EngineResult['files']> {
    const out = join(folder, 'out');
    const shape = new RegExp(
      `^${(job.route.outputs.files ?? '*')
        .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`,
    );
    const names = (await readdir(out, { withFileTypes: true }))
      .filter((entry) => entry.isFile() && shape.test(entry.name))
      .map(({ name }) => name)
      .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
      .slice(0, job.outputs);
    if (names.length === 0) throw unusable('the command', 'is not in its folder');
    return Promise.all(
      names.map(async (name, index) => {
        const path = join(job.folder, `result-${index}`);
        await copyFile(join(out, name), path, constants.COPYFILE_FICLONE);
        return { path };
      }),
    );
  }

  async cancel(handle: Handle, signal: AbortSignal): Promise<'canceled' | 'too_late' | 'unknown'> {
    const folder = this.#folderOf(handle as string);
    if ((await readProgramState(folder)) === 'absent') return 'unknown';
    await stopProgram(folder);
    const poll = createPoll(this.#pollMs);
    const deadline = performance.now() + stopMs;
    for (;;) {
      const state = await readProgramState(folder);
      if (state === 'lost') return 'canceled';
      if (typeof state === 'object') return state.ended.isStopped ? 'canceled' : 'too_late';
      if (performance.now() > deadline) return 'unknown';
      await poll.next(true, signal);
    }
  }

  async probe(): Promise<EngineHealth> {
    return { version: null, digest: null, queue: null, vramBytes: null };
  }

  async check({ route }: RouteFiles): Promise<Problem[]> {
    return checkCommandRoute(route);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Contains a folder for each job. */
  get #folder(): string {
    if (this.#given !== undefined) return this.#given;
    throw new EngineFailure('Commands run in workers alone.', {
      blame: 'backend',
      code: 'engine_unavailable',
      sent: 'no',
    });
  }

  #folderOf(id: string): string {
    if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error('A submission is known by a UUID.');
    return join(this.#folder, id);
  }

  async #removeOld(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#folder)) {
      const folder = join(this.#folder, name);
      const { mtimeMs } = await stat(folder);
      if (Date.now() - mtimeMs < keptMs || (await readProgramState(folder)) === 'running') continue;
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function wordOf(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  // A user's text must never become an option.
  return value.replaceAll('\0', '').replace(/^-/, ' -');
}

async function bring({ path, sha256, contentType }: PreparedMedia, folder: string): Promise<string> {
  const own = join(folder, `${sha256}.${contentType.split('/')[1]}`);
  await copyFile(path, own, constants.COPYFILE_FICLONE);
  return own;
}

async function tailOf(folder: string): Promise<string> {
  await using file = await open(join(folder, programFiles.stderr)).catch(() => null);
  if (file === null) return '';
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.min(size, tailBytes));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
  return bytes.subarray(0, bytesRead).toString();
}
