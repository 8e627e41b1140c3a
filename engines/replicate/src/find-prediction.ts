import { isObject, readObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import type { Call } from '@renderkit/engine-kit/call.ts';
import type { Found } from '@renderkit/engine-kit/driver.ts';
import { isBodyOf } from '@renderkit/engine-kit/json-pointer.ts';
import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';

/**
 * How far Replicate's clock may be behind ours. A shorter value could report an existing prediction as absent, so that
 * it is bought again. A longer one matches no foreign prediction, because unique values decide.
 */
const clockMs = 120_000;
const maxPages = 20;
const maxPageBytes = 64 * 1024 * 1024;

/**
 * Returns the only prediction since then whose input is the call's, if the call has unique values. Returns `absent`
 * once the list reaches back far enough without a match. Returns `unknown` where the list is too short, where several
 * match, or where inputs were removed already. Returns `unknowable` where a match may be somebody else's. Media are not
 * compared, because Replicate may return them in its own form. `studio/src/renders/unique-targets.ts` decides which
 * values are unique.
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
      // The list is sorted with the newest first.
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
