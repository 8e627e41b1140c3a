import { isObject, parseJson, refusalOf } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { askedTargets, blameOfField, pointerOf } from '@renderkit/engine-kit/call.ts';
import type { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import { failureOfHeld } from '@renderkit/engine-kit/held-answers.ts';
import type { BackendAnswer } from '@renderkit/engine-kit/http-exchange.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';

const doing = 'asked for pictures';

/**
 * Returns the failure that an error means: `{detail: [{loc, msg}]}` for a wrong value, `{error, detail, errors}` for an
 * internal error. Every failure ends the job, so its code is never `engine_unavailable`.
 */
export function failureOfAnswer(http: BackendHttp, answer: BackendAnswer, route: Route): EngineFailure {
  const json = parseJson(answer);
  if (answer.status === 400) return refusalOf(http, answer, doing);
  if (answer.status === 422 && isObject(json)) {
    const detail = json['detail'];
    const first = Array.isArray(detail) ? (detail as JsonValue[]).find(isObject) : undefined;
    const field = first === undefined ? null : pointerOf(first['loc'], ['body']);
    return refusalOf(http, answer, doing, blameOfField({ asked: askedTargets(route) }, field));
  }
  if (answer.status >= 500 && /OutOfMemory|out of memory/i.test(answer.body.toString())) {
    return refusalOf(http, answer, doing, { blame: 'pair', code: 'out_of_memory' });
  }
  return failureOfHeld(http, answer, { doing, route });
}
