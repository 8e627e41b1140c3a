import { isObject, isSuccess, readObject, refusalOf } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';

/** How far the server's clock may be behind ours. */
const clockMs = 120_000;
const pageSize = 100;
const maxPages = 10;
/** What a video shows of what it was asked for. Values are texts here and numbers there. */
const shownKeys = ['prompt', 'model', 'size', 'seconds'] as const;

/**
 * The one video since then that was asked for as this one. `absent` once the list reaches back far enough without it;
 * `unknown` where the server does not list, shows no prompts, has several alike, or none at all.
 * @throws EngineFailure where it cannot be asked
 */
export async function findVideo(
  http: BackendHttp,
  body: JsonObject,
  since: Date,
  signal: AbortSignal,
): Promise<{ handle: string } | 'absent' | 'unknown'> {
  const from = since.getTime() - clockMs;
  const hits = new Set<string>();
  let after: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const query = new URLSearchParams({ order: 'desc', limit: String(pageSize), ...(after && { after }) });
    const answer = await http.send({ to: `/videos?${query.toString()}`, signal });
    if (answer.status === 404 || answer.status === 405) return 'unknown';
    if (!isSuccess(answer)) throw refusalOf(http, answer, 'asked for a list of videos');
    const list = readObject(http, answer, 'asked for a list of videos');
    const videos = Array.isArray(list['data']) ? (list['data'] as JsonValue[]).filter(isObject) : [];
    // A proxy that lists nothing says nothing.
    if (videos.length === 0 && page === 0) return 'unknown';
    for (const video of videos) {
      const created = timeOf(video['created_at']);
      if (created !== null && created < from) return decide(hits, 'absent');
      if (typeof video['prompt'] !== 'string') return 'unknown';
      if (typeof video['id'] === 'string' && isAskedFor(video, body)) hits.add(video['id']);
    }
    const last = videos.at(-1)?.['id'];
    if (list['has_more'] !== true || typeof last !== 'string') return decide(hits, 'absent');
    after = last;
  }
  return 'unknown';
}

function decide(hits: ReadonlySet<string>, ifNone: 'absent'): { handle: string } | 'absent' | 'unknown' {
  const [only] = hits;
  if (hits.size === 1 && only !== undefined) return { handle: only };
  return hits.size === 0 ? ifNone : 'unknown';
}

function isAskedFor(video: JsonObject, body: JsonObject): boolean {
  return shownKeys.every((key) => {
    const [shown, asked] = [video[key], body[key]];
    if (shown === undefined || shown === null || asked === undefined || asked === null) return true;
    return JSON.stringify(shown).replaceAll('"', '') === JSON.stringify(asked).replaceAll('"', '');
  });
}

/** Milliseconds. Seconds as a rule; some proxies give milliseconds, or a text. */
function timeOf(created: JsonValue | undefined): number | null {
  if (typeof created === 'string') {
    const time = /^\d+$/.test(created) ? timeOf(Number(created)) : Date.parse(created);
    return time === null || Number.isNaN(time) ? null : time;
  }
  if (typeof created !== 'number') return null;
  return created > 100_000_000_000 ? created : created * 1_000;
}
