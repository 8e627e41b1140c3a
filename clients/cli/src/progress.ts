import type { Generation, Progress } from 'renderkit';

/** Texts of stages. `service/src/generations/live/present.ts` decides the stage, and why a generation waits. */
const stages: Record<Progress['stage'], string> = {
  queued: 'waiting',
  checking: 'checking references',
  submitting: 'being sent',
  waiting_for_engine: 'waiting for an engine',
  loading_model: 'loading the model',
  rendering: 'rendering',
  encoding: 'encoding',
  storing: 'storing',
  done: 'done',
};

const reasons: Record<NonNullable<Progress['queue']>['reason'], string> = {
  lane_full: 'as many of your plan run',
  account_full: 'as many of your account run',
  fair_share: "it is others' turn",
  engine_busy: 'the engines are busy',
  engine_down: 'no engine answers',
  reference_processing: 'a file is being checked',
  studio_unreachable: 'the studio does not answer',
  scheduled_retry: 'it will be tried again',
};

/** Returns the progress of a generation as one line: its queue position, stage, fraction and time, each if known. */
export function progressText(progress: Progress): string {
  const { stage, queue, fraction, step, steps, outputs_done: done, outputs_expected: expected } = progress;
  const parts = [stages[stage] ?? stage];
  if (queue !== null) {
    if (queue.position !== null)
      parts.push(`place ${queue.position}${queue.of === null ? '' : ` of ${queue.of}`}`);
    parts.push(reasons[queue.reason] ?? queue.reason);
  }
  if (fraction !== null) parts.push(`${Math.floor(fraction * 100)} %`);
  if (step !== null && steps !== null) parts.push(`step ${step} of ${steps}`);
  if (expected > 1) parts.push(`${done} of ${expected} outputs`);
  const times = progress.finishes_in_seconds;
  if (times !== null) parts.push(`done in ${duration(times.low)} to ${duration(times.high)}`);
  return parts.join(' · ');
}

/** Returns a duration as people write it. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 90) return `${whole} s`;
  return whole < 5_400 ? `${Math.round(whole / 60)} min` : `${Math.round(whole / 3600)} h`;
}

/** Returns a finished generation as one line. */
export function doneText(generation: Generation): string {
  const { id, cost, model, outputs, created_at: created, completed_at: completed } = generation;
  const parts = [id, model];
  if (cost.credits !== null) parts.push(`${cost.credits} credits`);
  if (completed !== null) parts.push(duration((Date.parse(completed) - Date.parse(created)) / 1000));
  if (outputs.length > 1) parts.push(`${outputs.length} outputs`);
  return parts.join(' · ');
}
