import { type DriverTools, EngineFailure } from './driver.ts';
import { EngineError } from './engine.ts';

/** The steps that a full check walks on any backend, in this order. */
export const checkSteps = [
  'reach',
  'version',
  'submit with own id',
  'progress',
  'upload',
  'render',
  'fetch with a range',
  'invalid graph',
  'queue delete',
  'interrupt by id',
  'cached run',
  'restart',
] as const;
export type StepName = (typeof checkSteps)[number];

/** The outcome of one step of a check. */
export interface CheckedStep {
  readonly name: StepName;
  readonly ok: boolean;
  /**
   * False where the protocol does not have this step, or the step could exceed the budget. Then nothing was found, and
   * `ok` is true.
   */
  readonly walked: boolean;
  /** A sentence for an operator. */
  readonly message: string;
  readonly seconds: number;
}

/** Records the money of one job as spent, or releases it. */
export type Settle = (isSpent: boolean) => Promise<void>;

/** The budget of a check at a provider. `startFullCheck` in `studio/src/backends/check-backend.ts` makes it. */
export interface CheckBudget {
  /** The maximum cost of all jobs together, in the provider's currency. */
  readonly spend: number;
  /**
   * Reserves the money of one job durably before it resolves. Resolves to a sentence for an operator where that is not
   * possible. The caller calls the returned `Settle` with whether the money was spent, or does not call it where that
   * is unknown.
   */
  readonly reserve: (amount: number, currency: string) => Promise<Settle | string>;
}

/**
 * Tests on a real server everything that its driver relies on. It sends its own jobs, which cost no more than the
 * budget allows. Yields only one step where the server cannot be reached. `fullCheckOf` in
 * `engines/registry/src/drivers.ts` has the check of each engine; the steps of drivers are in `check-by-jobs.ts`, those
 * of local engines in `check-engine.ts`.
 */
export type FullCheck = (
  tools: DriverTools,
  signal: AbortSignal,
  budget: CheckBudget,
) => AsyncIterable<CheckedStep>;

/** Returns the sentence for the operator. @throws StepFailed, StepSkipped, EngineFailure, EngineError */
export type Step = (signal: AbortSignal) => Promise<string>;

/** The server answered, but not as it should. */
export class StepFailed extends Error {}

/** This protocol or this server does not have the step, or the step would cost too much. */
export class StepSkipped extends Error {}

/** Creates the error for a step that does not exist here, with the reason. */
export function notThere(reason: string): StepSkipped {
  return new StepSkipped(`Not there: ${reason}`);
}

/** @throws StepFailed with the sentence where the condition does not hold */
export function expectOf(condition: boolean, otherwise: string): void {
  if (!condition) throw new StepFailed(otherwise);
}

/** A grey image of 8 by 8 pixels. */
export const greyImage = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAE0lEQVR4nGNoaGjAihiGlgR2GwC5CmABcZqPVAAAAABJRU5ErkJggg==',
  'base64',
);

/** Returns whether bytes are PNG, JPEG, WebP, GIF, MP4 or Matroska, by the first 12 bytes. */
export function isMedia(bytes: Buffer): boolean {
  return /^(?:89504e47|ffd8ff|52494646.{8}57454250|47494638|.{8}66747970|1a45dfa3)/.test(
    bytes.toString('hex', 0, 12),
  );
}

const defaultStepMs = 120_000;

/**
 * Walks all steps, also after a failed one; only a failed first step ends the walk. `stepMs`: the time limit of one
 * step.
 */
export async function* walkSteps(
  steps: Readonly<Record<StepName, Step>>,
  signal: AbortSignal,
  stepMs = defaultStepMs,
): AsyncGenerator<CheckedStep> {
  for (const name of checkSteps) {
    const since = performance.now();
    const found = await walk(steps[name], signal, stepMs);
    yield { name, ...found, seconds: Math.round(performance.now() - since) / 1000 };
    if (!found.ok && name === 'reach') return;
  }
}

async function walk(
  step: Step,
  signal: AbortSignal,
  stepMs: number,
): Promise<Pick<CheckedStep, 'ok' | 'walked' | 'message'>> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(stepMs)]);
  try {
    return { ok: true, walked: true, message: await step(bounded) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StepSkipped) return { ok: true, walked: false, message: error.message };
    const told = [EngineFailure, EngineError, StepFailed].some((kind) => error instanceof kind);
    if (error instanceof Error && told) return { ok: false, walked: true, message: error.message };
    if (bounded.aborted) return { ok: false, walked: true, message: 'It took too long.' };
    throw error;
  }
}
