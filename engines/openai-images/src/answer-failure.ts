import { isObject, messageIn, parseJson, refusalOf } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { askedTargets, blameOfField } from '@renderkit/engine-kit/call.ts';
import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import { failureOfHeld } from '@renderkit/engine-kit/held-answers.ts';
import type { BackendAnswer } from '@renderkit/engine-kit/http-exchange.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';

const moderationCodes: readonly JsonValue[] = ['moderation_blocked', 'content_policy_violation'];
const creditCodes: readonly JsonValue[] = ['insufficient_quota', 'billing_hard_limit_reached'];
const doing = 'asked for pictures';

/**
 * Returns the failure that an error means: `{error: {message, type, param, code}}`, or only a text from a server that
 * is not OpenAI's. Every failure ends the job, so its code is never `engine_unavailable`.
 */
export function failureOfAnswer(http: BackendHttp, answer: BackendAnswer, route: Route): EngineFailure {
  const json = parseJson(answer);
  const error = isObject(json) ? json['error'] : undefined;
  const { code = null, param = null } = isObject(error) ? error : {};
  if (moderationCodes.includes(code)) {
    return new EngineFailure(http.quote(messageIn(json)), { blame: 'render', code: 'moderation_blocked' });
  }
  if (creditCodes.includes(code)) {
    const refused = { blame: 'backend', code: 'render_failed', lasting: true, untaken: true } as const;
    return refusalOf(http, answer, doing, refused);
  }
  if (answer.status === 400 || answer.status === 422) {
    const field = typeof param === 'string' ? `/${param.split(/[.[]/)[0]}` : null;
    return refusalOf(http, answer, doing, blameOfField({ asked: askedTargets(route) }, field));
  }
  return failureOfHeld(http, answer, { doing, route });
}
