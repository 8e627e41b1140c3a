import type { BackendHttp } from './backend-http.ts';
import { EngineFailure, type EngineFailureOptions } from './driver.ts';
import type { BackendAnswer } from './http-exchange.ts';
import type { JsonObject, JsonValue } from './route.ts';

const maxRetryAfterSeconds = 24 * 60 * 60;
/**
 * Statuses of a gateway that gave up on the server behind it or lost it. 520 to 524 are Cloudflare's, 499 is nginx's.
 */
const gatewayStatuses: ReadonlySet<number> = new Set([408, 499, 502, 504, 520, 522, 524]);

/** Returns whether an answer has a status of success (2xx). */
export function isSuccess({ status }: BackendAnswer): boolean {
  return status >= 200 && status < 300;
}

/**
 * Returns whether a gateway gave this answer, by its status alone. The server behind the gateway may still carry out
 * the request.
 */
export function isOfGateway({ status }: BackendAnswer): boolean {
  return gatewayStatuses.has(status);
}

/** Returns the JSON of an answer, whatever its content type is; `undefined` where the body is not JSON. */
export function parseJson(answer: BackendAnswer): JsonValue | undefined {
  try {
    return JSON.parse(answer.body.toString('utf8').replace(/^\uFEFF/, '')) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the JSON object of a successful answer. @throws EngineFailure for any other answer: see `refusalOf` */
export function readObject(http: BackendHttp, answer: BackendAnswer, doing: string): JsonObject {
  if (!isSuccess(answer)) throw refusalOf(http, answer, doing);
  const json = parseJson(answer);
  if (isObject(json)) return json;
  throw new EngineFailure(`${http.backend} answered with something that is no JSON object when ${doing}.`, {
    blame: 'backend',
    code: 'engine_unavailable',
    sent: 'unknown',
  });
}

/**
 * Returns the failure that an answer without success means, by its status. 400, 413, 415 and 422 blame the render; 404,
 * 405 and 410 blame the pair. 401, 402 and 403 blame the backend until an operator acts; all others blame it for a
 * while. `sent` is `no` where the engine itself refused the job. It is `unknown` where a gateway may have lost the
 * answer on the way back. Engines that answer only when the job is finished have `failureOfHeld` in `held-answers.ts`.
 * How long a blamed backend rests is decided in `studio/sql/functions/rest_backend.sql`.
 */
export function refusalOf(
  http: BackendHttp,
  answer: BackendAnswer,
  doing: string,
  more: Partial<EngineFailureOptions> = {},
): EngineFailure {
  const said = messageIn(parseJson(answer));
  const message = `${http.backend} answered ${answer.status} when ${doing}${said === '' ? '' : `: ${said}`}`;
  return new EngineFailure(http.quote(message), {
    ...blameOf(answer, said !== ''),
    ...retryAfterOf(answer),
    ...more,
  });
}

function blameOf(answer: BackendAnswer, hasSaid: boolean): EngineFailureOptions {
  const { status } = answer;
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return { blame: 'render', code: 'invalid_request', sent: 'no' };
    case 401:
    case 402:
    case 403:
      return { blame: 'backend', code: 'engine_unavailable', sent: 'no', lasting: true };
    case 404:
    case 405:
    case 410:
      return { blame: 'pair', code: 'engine_unavailable', sent: 'no' };
    case 425:
    case 429:
      return { blame: 'backend', code: 'engine_unavailable', sent: 'no' };
    case 503:
      // A gateway also sends this status when its connection broke.
      return { blame: 'backend', code: 'engine_unavailable', sent: hasSaid ? 'no' : 'unknown' };
    default: {
      const sent = status < 500 && !isOfGateway(answer) ? 'no' : 'unknown';
      return { blame: 'backend', code: 'engine_unavailable', sent };
    }
  }
}

function retryAfterOf({ headers }: BackendAnswer): Pick<EngineFailureOptions, 'retryAfterSeconds'> {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return {};
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  if (!Number.isFinite(seconds) || seconds < 0) return {};
  return { retryAfterSeconds: Math.min(maxRetryAfterSeconds, Math.ceil(seconds)) };
}

/**
 * Returns the sentence in an error's body, from any of the usual shapes: `error`, `error.message`, `detail`,
 * `detail[].msg`.
 */
export function messageIn(json: JsonValue | undefined): string {
  if (typeof json === 'string') return json;
  if (Array.isArray(json)) return json.map(messageIn).filter(Boolean).join('; ');
  if (!isObject(json)) return '';
  for (const key of ['message', 'msg', 'error', 'detail', 'errors', 'title']) {
    const said = messageIn(json[key]);
    if (said !== '') return said;
  }
  return '';
}
