import { isObject, readObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import type { Call } from '@renderkit/engine-kit/call.ts';
import type { Found } from '@renderkit/engine-kit/driver.ts';
import { isBodyOf } from '@renderkit/engine-kit/json-pointer.ts';
import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';

/**
 * How far Replicate's clock may be behind ours: a shorter look back would call absent, and buy again, what is there. It takes
 * nothing that is not ours, for unique values decide.
 */
const clockMs = 120_000;
const maxPages = 20;
const maxPageBytes = 64 * 1024 * 1024;

/**
 * The one prediction since then whose input is the call's, where that has values that no other call has. `absent` once the list
 * reaches back far enough without it, `unknown` where it does not, where several are alike, or where inputs were removed already,
 * `unknowable` where one is alike and may be another's. Media are not compared: Replicate may show them in its own way.
 * @throws EngineFailure where Replicate cannot be asked
 */
export async function findPrediction(
  http: BackendHttp,
  { body, media, unique }: Call,
  since: Date,
  signal: AbortSignal,
): Promise<JsonObject | Exclude<Found, object>> {
  const after = since.getTime() - clockMs;
  const except = media.map(({ target }) => target);
  const hits = new Map<JsonValue | undefined, JsonObject>();
  let isCertain = true;
  let to: string | null = '/predictions';
  for (let page = 0; to !== null; page += 1) {
    if (page === maxPages) return 'unknown';
    const answer = await http.send({ to, maxBytes: maxPageBytes, signal });
    const list = readObject(http, answer, 'asked for predictions');
    if (!Array.isArray(list['results'])) return 'unknown';
    let reachesBack = false;
    for (const one of list['results'] as JsonValue[]) {
      if (!isObject(one)) continue;
      const { created_at: created } = one;
      // Newest come first.
      if (typeof created === 'string' && Date.parse(created) < after) reachesBack = true;
      else if (one['data_removed'] === true) isCertain = false;
      else if (isBodyOf(one['input'], body, except)) hits.set(one['id'], one);
    }
    const { next } = list;
    if (reachesBack || typeof next !== 'string' || next === '') to = null;
    else if (http.isOwn(next)) to = next;
    else return 'unknown';
  }
  const [only] = hits.values();
  if (only !== undefined && unique.length === 0) return 'unknowable';
  if (hits.size === 1 && only !== undefined) return only;
  return hits.size === 0 && isCertain ? 'absent' : 'unknown';
}
