import { isObject, messageIn, parseJson, refusalOf } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { blameOfField, type Call } from '@renderkit/engine-kit/call.ts';
import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { EngineProgress } from '@renderkit/engine-kit/report.ts';
import type { BackendAnswer } from '@renderkit/engine-kit/http-exchange.ts';
import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';

type Stage = EngineProgress['stage'] | 'ended';

/** Statuses of OpenAI, and the names that compatible servers use for them. */
const stages: Readonly<Record<string, Stage>> = {
  queued: 'waiting_for_engine',
  pending: 'waiting_for_engine',
  submitted: 'waiting_for_engine',
  in_progress: 'rendering',
  processing: 'rendering',
  running: 'rendering',
  completed: 'ended',
  succeeded: 'ended',
  failed: 'ended',
  cancelled: 'ended',
  canceled: 'ended',
  expired: 'ended',
};
const goodStatuses: readonly JsonValue[] = ['completed', 'succeeded'];
const moderationCode = /moderation|content_policy|safety|sentinel/i;
const inputCode = /^invalid|unsupported/i;

/** Returns how far a video is; `stage` is `null` where its status is not known. */
export function stageOf({ status, progress }: JsonObject): { stage: Stage | null; fraction: number | null } {
  const stage = typeof status === 'string' ? stages[status.toLowerCase()] : undefined;
  return { stage: stage ?? null, fraction: fractionOf(progress) };
}

/** Returns a fraction of 0–1. Most servers give percentages; some proxies give a fraction or a text. */
function fractionOf(progress: JsonValue | undefined): number | null {
  const number = typeof progress === 'string' ? Number(progress.replace(/%$/, '')) : progress;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return null;
  return Math.min(1, number < 1 ? number : number / 100);
}

/** Returns why an ended video failed; `null` where it succeeded. */
export function failureOfVideo(http: BackendHttp, { status, error }: JsonObject): EngineFailure | null {
  if (typeof status === 'string' && goodStatuses.includes(status.toLowerCase())) return null;
  const code = isObject(error) && typeof error['code'] === 'string' ? error['code'] : '';
  const message = http.quote(
    `A video of ${http.backend} is ${messageIn(status)}: ${code} ${messageIn(error)}`,
  );
  if (moderationCode.test(code)) {
    return new EngineFailure(message, { blame: 'render', code: 'moderation_blocked' });
  }
  if (inputCode.test(code)) return new EngineFailure(message, { blame: 'render', code: 'invalid_request' });
  return new EngineFailure(message, { blame: 'backend', code: 'render_failed' });
}

/** Returns why the server refused a video: `{error: {message, type, param, code}}`. */
export function refusalOfVideo(http: BackendHttp, answer: BackendAnswer, call: Call): EngineFailure {
  const json = parseJson(answer);
  const error = isObject(json) ? json['error'] : undefined;
  const { code = null, param = null } = isObject(error) ? error : {};
  const doing = 'asked for a video';
  if (typeof code === 'string' && moderationCode.test(code)) {
    const options = { blame: 'render', code: 'moderation_blocked', sent: 'no' } as const;
    return new EngineFailure(http.quote(messageIn(json)), options);
  }
  if (code === 'insufficient_quota' || code === 'billing_hard_limit_reached') {
    return refusalOf(http, answer, doing, { blame: 'backend', code: 'engine_unavailable', lasting: true });
  }
  if (answer.status === 400 || answer.status === 422) {
    return refusalOf(http, answer, doing, blameOfField(call, typeof param === 'string' ? `/${param}` : null));
  }
  return refusalOf(http, answer, doing);
}
