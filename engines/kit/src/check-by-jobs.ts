import { createHash, randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type BoundValue,
  type CreateDriver,
  type Driver,
  EngineFailure,
  type EngineJob,
  type Handle,
  type Prepared,
} from './driver.ts';
import {
  type CheckBudget,
  expectOf,
  type FullCheck,
  greyImage,
  isMedia,
  notThere,
  type Settle,
  type Step,
  StepFailed,
  StepSkipped,
  type StepName,
  walkSteps,
} from './full-check.ts';
import type { EngineProgress } from './report.ts';
import type { Route } from './route.ts';

/** A small job of a check. */
export interface CheckJob {
  readonly route: Route;
  /** Values that make each such job different. The number is random. */
  readonly values?: (number: number) => readonly BoundValue[];
  /** Target that receives a small picture. */
  readonly picture?: string;
}

/**
 * What a full check needs to test an engine through its own driver. The plan of each engine is in `full-check.ts`
 * beside its driver.
 */
export interface CheckPlan {
  readonly createDriver: CreateDriver;
  /** The smallest and quickest job of the engine. */
  readonly job: CheckJob;
  /** A job that begins with a picture. */
  readonly edit?: CheckJob;
  /** A job that the engine must refuse. */
  readonly invalid?: CheckJob;
  /** A job that takes seconds, so that the check can stop it while it runs. */
  readonly slow?: CheckJob;
  /** Steps that the protocol does not have, with the reason in a few words. */
  readonly missing: Readonly<Partial<Record<StepName, string>>>;
  /**
   * The maximum cost of one of these jobs at a provider; absent where the engine runs on the operator's own machines.
   */
  readonly cost?: { readonly perJob: number; readonly currency: string };
  /** Seconds that one step may take. Default 120. */
  readonly stepSeconds?: number;
}

interface SentJob {
  readonly job: EngineJob;
  readonly prepared: Prepared;
  readonly handle: Handle;
  readonly since: Date;
}

const lookMs = 100;
const tidyMs = 10_000;

/** Returns a full check that walks the twelve steps over the driver of an engine, with the jobs of its plan. */
export function checkByJobs(plan: CheckPlan): FullCheck {
  return async function* check(tools, signal, budget) {
    const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-check-'));
    const create = () =>
      plan.createDriver({
        ...tools,
        folder: tools.folder ?? path.join(folder, 'jobs'),
        pollMs: tools.pollMs ?? { first: lookMs, quiet: 2_000 },
      });
    await using driver = create();
    const jobs = new JobCheck(plan, { driver, create, folder, budget });
    try {
      yield* walkSteps(
        jobs.steps,
        signal,
        plan.stepSeconds === undefined ? undefined : plan.stepSeconds * 1000,
      );
    } finally {
      await jobs.tidyUp();
      await rm(folder, { recursive: true, force: true });
    }
  };
}

interface CheckMeans {
  readonly driver: Driver;
  /** Creates a second driver, as another process would. */
  readonly create: () => Driver;
  readonly folder: string;
  readonly budget: CheckBudget;
}

class JobCheck {
  readonly steps: Readonly<Record<StepName, Step>>;
  readonly #plan: CheckPlan;
  readonly #means: CheckMeans;
  readonly #open = new Set<SentJob>();
  readonly #fractions: number[] = [];
  #spent = 0;
  #rendered: { sent: SentJob; bytes: number } | undefined;

  constructor(plan: CheckPlan, means: CheckMeans) {
    this.#plan = plan;
    this.#means = means;
    const unless = (name: StepName, step: Step): Step => {
      const reason = plan.missing[name];
      return reason === undefined ? step : () => Promise.reject(notThere(reason));
    };
    this.steps = {
      reach: unless('reach', (signal) => this.#reach(signal)),
      version: unless('version', (signal) => this.#version(signal)),
      'submit with own id': unless('submit with own id', (signal) => this.#find(signal)),
      progress: unless('progress', (signal) => this.#progress(signal)),
      upload: unless('upload', (signal) => this.#upload(signal)),
      render: unless('render', (signal) => this.#render(signal)),
      'fetch with a range': unless('fetch with a range', wholeOnly),
      'invalid graph': unless('invalid graph', (signal) => this.#invalid(signal)),
      'queue delete': unless('queue delete', (signal) => this.#dequeue(signal)),
      'interrupt by id': unless('interrupt by id', (signal) => this.#interrupt(signal)),
      'cached run': unless('cached run', noCache),
      restart: unless('restart', (signal) => this.#restart(signal)),
    };
  }

  /** Cancels the jobs that a failed step left running. */
  async tidyUp(): Promise<void> {
    for (const { handle } of this.#open)
      await this.#means.driver.cancel(handle, AbortSignal.timeout(tidyMs)).catch(() => 'unknown');
  }

  async #reach(signal: AbortSignal): Promise<string> {
    const { queue } = await this.#means.driver.probe(signal);
    return queue === null ? 'It answers.' : `It answers; ${queue} jobs wait or run there.`;
  }

  async #version(signal: AbortSignal): Promise<string> {
    const { version } = await this.#means.driver.probe(signal);
    if (version === null) throw notThere('it does not say its version.');
    return `Version ${version}.`;
  }

  async #find(signal: AbortSignal): Promise<string> {
    const { sent } = await this.#renderOnce(signal);
    const { prepared, job, since } = sent;
    const found = await this.#means.driver.find(prepared, job.id, since, signal);
    if (found === 'unknown' || found === 'unknowable')
      throw notThere('it does not tell of a job whose answer was lost.');
    expectOf(found !== 'absent', 'A job that it made is unknown there when it is asked for.');
    return 'A job is found again without its answer.';
  }

  async #progress(signal: AbortSignal): Promise<string> {
    const { slow } = this.#plan;
    if (slow === undefined) await this.#renderOnce(signal);
    else await this.#follow(await this.#send(slow, signal), signal);
    if (this.#fractions.length === 0) throw notThere('it did not say how far a job was.');
    return `It said ${this.#fractions.length} times how far a job was.`;
  }

  async #upload(signal: AbortSignal): Promise<string> {
    const { edit } = this.#plan;
    if (edit === undefined) throw notThere('no small job of this engine begins with a picture.');
    const bytes = await this.#follow(await this.#send(edit, signal), signal);
    return `A picture went there, and its edit of ${bytes} bytes came back.`;
  }

  async #render(signal: AbortSignal): Promise<string> {
    const { bytes } = await this.#renderOnce(signal);
    return `A result of ${bytes} bytes came.`;
  }

  async #invalid(signal: AbortSignal): Promise<string> {
    const { invalid } = this.#plan;
    if (invalid === undefined) throw notThere('this engine takes any value.');
    try {
      await this.#follow(await this.#send(invalid, signal), signal);
    } catch (error) {
      if (error instanceof EngineFailure && error.blame !== 'backend') return error.message;
      throw error;
    }
    throw new StepFailed('It took a job with a value that is wrong.');
  }

  async #dequeue(signal: AbortSignal): Promise<string> {
    const sent = await this.#send(this.#plan.job, signal);
    const outcome = await this.#means.driver.cancel(sent.handle, signal);
    if (outcome !== 'canceled') throw notThere('the job had begun before it could be taken out.');
    this.#open.delete(sent);
    return 'A job was taken out before its end.';
  }

  async #interrupt(signal: AbortSignal): Promise<string> {
    const sent = await this.#send(this.#plan.slow ?? this.#plan.job, signal);
    const { driver } = this.#means;
    for await (const news of driver.follow(sent.handle, this.#followed(sent), signal)) {
      if (news.type === 'result') {
        this.#open.delete(sent);
        throw notThere('the job ended before it could be ended by its id.');
      }
      if (news.type !== 'progress' || news.stage !== 'rendering') continue;
      const outcome = await driver.cancel(sent.handle, signal);
      if (outcome !== 'canceled') throw notThere('it cannot be sure to end this job and no other.');
      this.#open.delete(sent);
      return 'A running job was ended by its id.';
    }
    throw new StepFailed('The job ended without a word.');
  }

  /** The check cannot restart the server. Instead a second driver follows the job that this one sent. */
  async #restart(signal: AbortSignal): Promise<string> {
    const { sent } = await this.#renderOnce(signal);
    await using other = this.#means.create();
    const bytes = await this.#follow(sent, signal, other);
    return `Another process has the same job's result of ${bytes} bytes.`;
  }

  async #renderOnce(signal: AbortSignal): Promise<{ sent: SentJob; bytes: number }> {
    if (this.#rendered !== undefined) return this.#rendered;
    const sent = await this.#send(this.#plan.job, signal);
    this.#rendered = { sent, bytes: await this.#follow(sent, signal) };
    return this.#rendered;
  }

  async #send({ route, values, picture }: CheckJob, signal: AbortSignal): Promise<SentJob> {
    const bound = [...(values?.(randomInt(2 ** 32 - 1)) ?? [])];
    const uniqueTargets = bound.map(({ target }) => target);
    if (picture !== undefined) bound.push(await this.#imageFor(picture));
    const about = { route, files: new Map<string, string>(), values: bound, uniqueTargets, outputs: 1 };
    const job: EngineJob = { id: randomUUID(), ...about };
    const { driver } = this.#means;
    const prepared = await driver.prepare(job, signal);
    const since = new Date();
    const settle = await this.#reserve();
    try {
      const sent = { job, prepared, since, handle: await driver.submit(prepared, job.id, signal) };
      this.#open.add(sent);
      await settle?.(true);
      return sent;
    } catch (error) {
      // The job may have been sent, so its money stays reserved.
      if (error instanceof EngineFailure && error.sent === 'no') await settle?.(false);
      throw error;
    }
  }

  /**
   * Reserves the money of one job; returns `null` where jobs cost nothing. @throws StepSkipped where one more job could
   * exceed the budget
   */
  async #reserve(): Promise<Settle | null> {
    const { cost } = this.#plan;
    if (cost === undefined) return null;
    const least = this.#spent + cost.perJob;
    const { budget } = this.#means;
    if (least > budget.spend + 1e-9)
      throw new StepSkipped(
        `Not walked: a job may cost ${cost.perJob} ${cost.currency} at a provider. Allow it with --spend ${Number(least.toFixed(6))} or more.`,
      );
    const settle = await budget.reserve(cost.perJob, cost.currency);
    if (typeof settle === 'string') throw new StepSkipped(`Not walked: ${settle}`);
    this.#spent = least;
    return async (isSpent) => {
      if (!isSpent) this.#spent -= cost.perJob;
      await settle(isSpent);
    };
  }

  async #imageFor(target: string): Promise<BoundValue> {
    const file = path.join(this.#means.folder, 'upload.png');
    await writeFile(file, greyImage);
    const sha256 = createHash('sha256').update(greyImage).digest('hex');
    const media = { path: file, sha256, contentType: 'image/png', sizeBytes: greyImage.length } as const;
    return { target, kind: 'media', media: [media], several: false };
  }

  #followed({ job }: SentJob, folder = this.#means.folder) {
    return { route: job.route, files: job.files, id: job.id, outputs: job.outputs, folder };
  }

  /** Follows a job to its result; returns the result's size in bytes. */
  async #follow(sent: SentJob, signal: AbortSignal, driver = this.#means.driver): Promise<number> {
    const folder = await mkdtemp(path.join(this.#means.folder, 'result-'));
    for await (const news of driver.follow(sent.handle, this.#followed(sent, folder), signal)) {
      if (news.type === 'progress') this.#note(news);
      if (news.type !== 'result') continue;
      this.#open.delete(sent);
      const [file] = news.files;
      if (file === undefined) throw new StepFailed('The job ended without its result.');
      const bytes = await readFile(file.path);
      expectOf(isMedia(bytes), 'The result is no picture and no video.');
      return bytes.length;
    }
    throw new StepFailed('The job ended without its result.');
  }

  #note({ fraction }: EngineProgress): void {
    if (fraction !== null && fraction > 0 && fraction < 1) this.#fractions.push(fraction);
  }
}

async function wholeOnly(): Promise<never> {
  throw notThere('a result is fetched whole, and by a range only where it broke off.');
}

async function noCache(): Promise<never> {
  throw notThere('each job is made anew.');
}
