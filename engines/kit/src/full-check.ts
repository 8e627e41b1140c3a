import { type DriverTools, EngineFailure } from './driver.ts';
import { EngineError } from './engine.ts';

/** What a full check walks on any backend, in this order. */
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

/** What one step of a check found. */
export interface CheckedStep {
  readonly name: StepName;
  readonly ok: boolean;
  /** False where there is no such step in the protocol, or it could cost more than is allowed: nothing was found then, and `ok` is true. */
  readonly walked: boolean;
  /** A sentence for an operator. */
  readonly message: string;
  readonly seconds: number;
}

/** Books the money of one job as spent, or gives it back. */
export type Settle = (isSpent: boolean) => Promise<void>;

/** What the jobs of a check may cost at a provider. */
export interface CheckBudget {
  /** The most of all of them together, in the provider's currency. */
  readonly spend: number;
  /**
   * Sets the money of one job aside, for good before it resolves; a sentence for an operator where that cannot be. What it gives
   * is called with whether the money is spent, and not at all where nobody can tell.
   */
  readonly reserve: (amount: number, currency: string) => Promise<Settle | string>;
}

/**
 * Tries on a real server all that its driver relies on, by jobs of its own, which cost no more than the budget allows. Where the
 * server cannot be reached there is one step.
 */
export type FullCheck = (
  tools: DriverTools,
  signal: AbortSignal,
  budget: CheckBudget,
) => AsyncIterable<CheckedStep>;

/** Gives the sentence for the operator. @throws StepFailed, StepSkipped, EngineFailure, EngineError */
export type Step = (signal: AbortSignal) => Promise<string>;

/** A server that answers, and not as it should. */
export class StepFailed extends Error {}

/** A step that this protocol or this server does not have, or that would cost too much. */
export class StepSkipped extends Error {}

/** A step that there is not, with the reason. */
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

/** Whether bytes are PNG, JPEG, WebP, GIF, MP4 or Matroska, by the first of them. */
export function isMedia(bytes: Buffer): boolean {
  return /^(?:89504e47|ffd8ff|52494646.{8}57454250|47494638|.{8}66747970|1a45dfa3)/.test(
    bytes.toString('hex', 0, 12),
  );
}

const defaultStepMs = 120_000;

/** Walks every step, whatever became of those before it; only the first must be good. `stepMs`: the longest that one may take. */
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
