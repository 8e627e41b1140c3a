import { isObject, isSuccess, readObject, refusalOf } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import type { Call } from '@renderkit/engine-kit/call.ts';
import type { Found } from '@renderkit/engine-kit/driver.ts';
import { valuesAt } from '@renderkit/engine-kit/json-pointer.ts';
import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';

/**
 * How far the server's clock may be behind ours. A shorter value could report an existing video as absent, so that it
 * is bought again. A longer one matches no foreign video, because unique values decide.
 */
const clockMs = 120_000;
const pageSize = 100;
const maxPages = 10;
/** The values of a request that a video shows. The server may return a number as text. */
const shownTargets = ['/prompt', '/model', '/size', '/seconds'] as const;

/**
 * Returns the only video since then that shows the values which no other call has. Returns `absent` once the list
 * reaches back far enough without a possible match. Returns `unknown` where the server does not list videos or show
 * prompts, where the list is empty, or where several videos match. Returns `unknowable` where a match may be somebody
 * else's: OpenAI's own API shows no picture and no seed. `studio/src/renders/unique-targets.ts` decides which values
 * are unique.
 * @throws EngineFailure where the server cannot be asked
 */
export async function findVideo(
  http: BackendHttp,
  call: Call,
  since: Date,
  signal: AbortSignal,
): Promise<Found> {
  const from = since.getTime() - clockMs;
  const hits = new Map<string, JsonObject>();
  let after: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const query = new URLSearchParams({ order: 'desc', limit: String(pageSize), ...(after && { after }) });
    const answer = await http.send({ to: `/videos?${query.toString()}`, signal });
    if (answer.status === 404 || answer.status === 405) return 'unknown';
    if (!isSuccess(answer)) throw refusalOf(http, answer, 'asked for a list of videos');
    const list = readObject(http, answer, 'asked for a list of videos');
    const videos = Array.isArray(list['data']) ? (list['data'] as JsonValue[]).filter(isObject) : [];
    // An empty list proves nothing, because a proxy may not list at all.
    if (videos.length === 0 && page === 0) return 'unknown';
    for (const video of videos) {
      const created = timeOf(video['created_at']);
      if (created !== null && created < from) return decide(hits, call);
      if (typeof video['prompt'] !== 'string') return 'unknown';
      if (typeof video['id'] === 'string' && isAskedFor(video, call)) hits.set(video['id'], video);
    }
    const last = videos.at(-1)?.['id'];
    if (list['has_more'] !== true || typeof last !== 'string') return decide(hits, call);
    after = last;
  }
  return 'unknown';
}

function decide(hits: ReadonlyMap<string, JsonObject>, { body, unique }: Call): Found {
  if (hits.size === 0) return 'absent';
  const isOwn = (video: JsonObject) => unique.every((target) => comparison(video, body, target) === 'same');
  const own = unique.length === 0 ? [] : [...hits].filter(([, video]) => isOwn(video));
  const [only] = own;
  if (only === undefined) return 'unknowable';
  return own.length === 1 ? { handle: only[0] } : 'unknown';
}

/**
 * Returns whether a video may be the call's. The seed is not compared: a server that shows a different seed would make
 * the video absent, and it would be bought again.
 */
function isAskedFor(video: JsonObject, { body }: Call): boolean {
  return shownTargets.every((target) => comparison(video, body, target) !== 'other');
}

/** Compares a shown value with the requested one; `unknown` where either is missing. */
function comparison(video: JsonObject, body: JsonObject, target: string): 'same' | 'other' | 'unknown' {
  const [[shown], [asked]] = [valuesAt(video, target), valuesAt(body, target)];
  if (shown === undefined || asked === undefined) return 'unknown';
  const [ours, theirs] = [asked, shown].map((value) => JSON.stringify(value).replaceAll('"', ''));
  return ours === theirs ? 'same' : 'other';
}

/** Returns milliseconds. Most servers give seconds; some proxies give milliseconds or a text. */
function timeOf(created: JsonValue | undefined): number | null {
  if (typeof created === 'string') {
    const time = /^\d+$/.test(created) ? timeOf(Number(created)) : Date.parse(created);
    return time === null || Number.isNaN(time) ? null : time;
  }
  if (typeof created !== 'number') return null;
  return created > 100_000_000_000 ? created : created * 1_000;
}
