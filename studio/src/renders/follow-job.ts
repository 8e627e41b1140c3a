import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Driver,
  EngineFailure,
  type EngineResult,
  type FollowedJob,
  type Handle,
} from '@renderkit/engine-kit/driver.ts';
import type { Report } from '@renderkit/engine-kit/report.ts';

/** Milliseconds between tries at an engine that cannot be reached; they double. */
export type FollowPauses = { unreachable: number; maxUnreachable: number };

export type FollowLimits = {
  runSeconds: number;
  /** Without a sign of life. */
  silentSeconds: number | undefined;
  /** When the job was sent; null: now. */
  since: Date | null;
  signal: AbortSignal;
  pauses: FollowPauses;
  /** Told of whatever the engine says before its result. */
  report: Report;
};

/** However long a job has run already, whoever takes it up has a look whether it is done. */
const minLookMs = 10_000;

/**
 * Follows a job to its result. That its engine cannot be reached is no end of it: the job goes on there, and is asked
 * for until its time is over. One that takes too long is canceled.
 * @throws EngineFailure
 */
export async function followToEnd(
  driver: Driver,
  { handle, job }: { handle: Handle; job: FollowedJob },
  { runSeconds, silentSeconds, since, signal, pauses, report }: FollowLimits,
): Promise<EngineResult> {
  const leftMs = runSeconds * 1_000 - (since === null ? 0 : Date.now() - since.getTime());
  const alarm = createAlarm(Math.max(minLookMs, leftMs), silentSeconds && silentSeconds * 1_000);
  const either = AbortSignal.any([signal, alarm.signal]);
  try {
    for (let pause = pauses.unreachable; ; pause = Math.min(2 * pause, pauses.maxUnreachable)) {
      try {
        for await (const event of driver.follow(handle, job, either)) {
          if (event.type === 'result') return event;
          alarm.hear();
          report(event);
          pause = pauses.unreachable;
        }
        throw new EngineFailure('The job ended without a result.', {
          blame: 'backend',
          code: 'render_failed',
        });
      } catch (error) {
        either.throwIfAborted();
        if (!(error instanceof EngineFailure) || error.code !== 'engine_unavailable') throw error;
      }
      await sleep(pause, undefined, { signal: either });
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!alarm.signal.aborted) throw error;
    await driver.cancel(handle, signal).catch(() => undefined);
    const options = { blame: 'backend', code: 'render_timeout', cause: error } as const;
    throw new EngineFailure('The job took longer than its route allows.', options);
  } finally {
    alarm.stop();
  }
}

/** Goes off after the one time, or when nothing was heard for the other. */
function createAlarm(afterMs: number, silentMs: number | undefined) {
  const controller = new AbortController();
  const goOff = () => controller.abort(new Error('the time of the job is over'));
  const whole = setTimeout(goOff, Math.min(afterMs, 2 ** 31 - 1));
  const silence = silentMs === undefined ? undefined : setTimeout(goOff, silentMs);
  return {
    signal: controller.signal,
    hear: () => void silence?.refresh(),
    stop: () => {
      clearTimeout(whole);
      clearTimeout(silence);
    },
  };
}
