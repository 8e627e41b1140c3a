import { isObject, isSuccess, parseJson, readObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';

/** What the server says of a task; it remembers the last sixteen that are completed. */
export interface TaskState {
  readonly isActive: boolean;
  readonly isQueued: boolean;
  readonly isCompleted: boolean;
  /** 0–1; null where it is not known. */
  readonly fraction: number | null;
}

/** The state of a task, by the id that it was given; null where this server does not say. @throws EngineFailure */
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

/** Tasks that wait, ours and others'; null where this server does not say. @throws EngineFailure where it cannot be asked */
export async function countWaiting(http: BackendHttp, signal: AbortSignal): Promise<number | null> {
  const answer = await http.send({ to: '/internal/pending-tasks', signal });
  const json = isSuccess(answer) ? parseJson(answer) : undefined;
  return isObject(json) && typeof json['size'] === 'number' ? json['size'] : null;
}
