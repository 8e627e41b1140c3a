import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Driver,
  EngineFailure,
  type EngineResult,
  type FollowedJob,
  type Handle,
} from '@renderkit/engine-kit/driver.ts';
import type { EngineStage, Report } from '@renderkit/engine-kit/report.ts';

export type FollowPauses = {
  /** Milliseconds between tries at an engine that cannot be reached. The pause doubles up to `maxUnreachable`. */
  unreachable: number;
  maxUnreachable: number;
  /** Milliseconds for which a worker that takes over a job looks whether it is done, however long the job has run. */
  minLook: number;
  /** Milliseconds for the last look at a job that could not be canceled in time. */
  lastLook: number;
};

/** `collect-job.ts` sets these limits, from the route or from `run-timeout.ts`. */
export type FollowLimits = {
  /** Counted from when the job began at the engine; without `startSeconds`, from when it was sent. */
  runSeconds: number;
  /** Counted from when the job was sent: the limit for waiting in the engine's own queue. */
  startSeconds: number | undefined;
  /** The limit without any event from the engine. */
  silentSeconds: number | undefined;
  /** When the job was sent; null: now. */
  since: Date | null;
  signal: AbortSignal;
  pauses: FollowPauses;
  /** Receives every event of the engine before its result. */
  report: Report;
};

type Followed = { handle: Handle; job: FollowedJob };

/**
 * Follows a job to its result. An unreachable engine does not end the job: the job goes on there, and this function
 * retries until its time is over. A job that takes too long is canceled. If the cancel is not confirmed, the job is
 * looked at once more.
 * @throws EngineFailure
 */
export async function followToEnd(
  driver: Driver,
  followed: Followed,
  limits: FollowLimits,
): Promise<EngineResult> {
  const { signal } = limits;
  const alarm = createAlarm(limits);
  const either = AbortSignal.any([signal, alarm.signal]);
  try {
    const report: Report = (event) => {
      alarm.hear(event.type === 'progress' ? event.stage : 'rendering');
      limits.report(event);
    };
    return await followUntil(driver, followed, { ...limits, signal: either, report });
  } catch (error) {
    signal.throwIfAborted();
    if (!alarm.signal.aborted) throw error;
    const outcome = await driver.cancel(followed.handle, signal).catch(() => 'unknown' as const);
    signal.throwIfAborted();
    if (outcome !== 'canceled') {
      const lastLook = AbortSignal.any([signal, AbortSignal.timeout(limits.pauses.lastLook)]);
      const result = await followUntil(driver, followed, { ...limits, signal: lastLook }).catch(
        (failure: unknown) => {
          signal.throwIfAborted();
          // If the cancel was not confirmed, it may have caused this failure.
          if (outcome === 'too_late' && !lastLook.aborted) throw failure;
        },
      );
      if (result !== undefined) return result;
    }
    throw timeoutOf(alarm.signal.reason as TimeIsOver, outcome === 'canceled');
  } finally {
    alarm.stop();
  }
}

async function followUntil(
  driver: Driver,
  { handle, job }: Followed,
  { signal, pauses, report }: Pick<FollowLimits, 'signal' | 'pauses' | 'report'>,
): Promise<EngineResult> {
  for (let pause = pauses.unreachable; ; pause = Math.min(2 * pause, pauses.maxUnreachable)) {
    try {
      for await (const event of driver.follow(handle, job, signal)) {
        if (event.type === 'result') return event;
        report(event);
        pause = pauses.unreachable;
      }
      const options = { blame: 'backend', code: 'render_failed' } as const;
      throw new EngineFailure('The job ended without a result.', options);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EngineFailure) || error.code !== 'engine_unavailable') throw error;
    }
    await sleep(pause, undefined, { signal });
  }
}

/** The time for a job to begin, or to end, is over. */
class TimeIsOver extends Error {
  override readonly name = 'TimeIsOver';
  readonly of: 'start' | 'run';
  constructor(of: 'start' | 'run') {
    super(`The time of the job to ${of === 'start' ? 'begin' : 'end'} is over.`);
    this.of = of;
  }
}

/**
 * Returns the failure of a job whose time is over. A job that was canceled before it began cost nothing, and another
 * backend may make it.
 */
function timeoutOf(cause: TimeIsOver, isCanceled: boolean): EngineFailure {
  if (cause.of === 'start' && isCanceled)
    return new EngineFailure('The backend did not begin the job in the time that its route allows.', {
      blame: 'backend',
      code: 'engine_unavailable',
      cause,
    });
  const options = { blame: 'backend', code: 'render_timeout', cause } as const;
  return new EngineFailure('The job took longer than its route allows.', options);
}

/** Creates an alarm that goes off when the job waits at its engine, runs, or is silent for too long. */
function createAlarm({ runSeconds, startSeconds, silentSeconds, since, pauses }: FollowLimits) {
  const controller = new AbortController();
  const goOff = (of: TimeIsOver['of']) => () => controller.abort(new TimeIsOver(of));
  const sentMs = since === null ? 0 : Date.now() - since.getTime();
  const left = (seconds: number) => Math.max(pauses.minLook, seconds * 1_000 - sentMs);
  let stage: EngineStage | undefined;
  let isLate = false;
  const clock = () => new AwakeTimer(pauses.minLook);
  const [start, whole, silence] = [clock(), clock(), clock()];
  if (startSeconds !== undefined)
    start.set(left(startSeconds), () => {
      isLate = true;
      if (stage === 'waiting_for_engine') goOff('start')();
    });
  whole.set(left((startSeconds ?? 0) + runSeconds), goOff('run'));
  const expectWord = () => {
    if (silentSeconds !== undefined) silence.set(silentSeconds * 1_000, goOff('run'));
  };
  expectWord();
  return {
    signal: controller.signal,
    hear: (heard: EngineStage) => {
      expectWord();
      const begins =
        heard !== 'waiting_for_engine' && (stage === undefined || stage === 'waiting_for_engine');
      stage = heard;
      if (isLate && heard === 'waiting_for_engine') goOff('start')();
      if (!begins || startSeconds === undefined) return;
      whole.set(Math.min(left(startSeconds + runSeconds), runSeconds * 1_000), goOff('run'));
    },
    stop: () => {
      for (const timer of [start, whole, silence]) timer.clear();
    },
  };
}

/** Milliseconds. A timer that fires later than this shows that the process stood still. */
const lateMs = 1_000;
const maxTimerMs = 2 ** 31 - 1;

/**
 * A timer that distinguishes a standstill of this process from elapsed time. If the timer fires late, the process has
 * not looked at the job meanwhile. Then the timer is set once more, for the time of one look.
 */
class AwakeTimer {
  readonly #lookMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(lookMs: number) {
    this.#lookMs = lookMs;
  }

  set(ms: number, onTime: () => void): void {
    this.#set(ms, onTime, () => this.#set(this.#lookMs, onTime, onTime));
  }

  #set(ms: number, onTime: () => void, onLate: () => void): void {
    clearTimeout(this.#timer);
    const dueAt = performance.now() + Math.min(ms, maxTimerMs);
    this.#timer = setTimeout(
      () => {
        if (performance.now() - dueAt > lateMs) onLate();
        else onTime();
      },
      Math.min(ms, maxTimerMs),
    );
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
