import { isObject, isSuccess, parseJson, readObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';

/** The state that the server reports for a task; it keeps the last sixteen completed tasks. */
export interface TaskState {
  readonly isActive: boolean;
  readonly isQueued: boolean;
  readonly isCompleted: boolean;
  /** 0–1; `null` where it is unknown. */
  readonly fraction: number | null;
}

/** Returns the state of a task by its id; `null` where this server does not report tasks. @throws EngineFailure */
export async function readTask(
  http: BackendHttp,
  id: string,
  signal: AbortSignal,
): Promise<TaskState | null> {
  const answer = await http.send({
    method: 'POST',
    to: '/internal/progress',
    json: { id_task: id, live_preview: false },
    signal,
  });
  if (answer.status === 404 || answer.status === 405) return null;
  const { active, queued, completed, progress } = readObject(http, answer, 'asked about a task');
  const isFraction = typeof progress === 'number' && progress >= 0 && progress <= 1;
  return {
    isActive: active === true,
    isQueued: queued === true,
    isCompleted: completed === true,
    fraction: isFraction ? progress : null,
  };
}

/**
 * Returns the number of waiting tasks, from us and from others; `null` where this server does not report it.
 * @throws EngineFailure where it cannot be asked
 */
export async function countWaiting(http: BackendHttp, signal: AbortSignal): Promise<number | null> {
  const answer = await http.send({ to: '/internal/pending-tasks', signal });
  const json = isSuccess(answer) ? parseJson(answer) : undefined;
  return isObject(json) && typeof json['size'] === 'number' ? json['size'] : null;
}
