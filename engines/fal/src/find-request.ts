import { isObject, readObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import type { Call } from '@renderkit/engine-kit/call.ts';
import { isBodyOf } from '@renderkit/engine-kit/json-pointer.ts';
import type { JsonValue } from '@renderkit/engine-kit/route.ts';

/**
 * How far fal's clock may be behind ours. Older requests are not this call's; newer ones are matched by the call's
 * unique values.
 */
const clockMs = 120_000;
const pageSize = 100;
const maxPages = 10;

/**
 * Returns the id of the only request since then whose payload is the call's; `null` where there is none or more than
 * one. The caller must make sure that the call has unique values. Media are not compared, because fal returns them in
 * its own form. `studio/src/renders/unique-targets.ts` decides which values are unique.
 * @throws EngineFailure where fal cannot be asked
 */
export async function findRequest(
  platform: BackendHttp,
  { endpoint, body, media }: Call & { endpoint: string },
  since: Date,
  signal: AbortSignal,
): Promise<string | null> {
  const except = media.map(({ target }) => target);
  const hits = new Set<string>();
  let cursor: JsonValue | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const query = new URLSearchParams({
      endpoint_id: endpoint,
      start: new Date(since.getTime() - clockMs).toISOString(),
      expand: 'payloads',
      limit: String(pageSize),
      ...(typeof cursor === 'string' && { cursor }),
    });
    const answer = await platform.send({
      to: `/v1/models/requests/by-endpoint?${query.toString()}`,
      maxBytes: 64 * 1024 * 1024,
      signal,
    });
    const json = readObject(platform, answer, 'asked for requests');
    for (const item of Array.isArray(json['items']) ? (json['items'] as JsonValue[]) : []) {
      if (!isObject(item) || typeof item['request_id'] !== 'string') continue;
      if (isBodyOf(item['json_input'], body, except)) hits.add(item['request_id']);
    }
    cursor = json['next_cursor'];
    if (json['has_more'] !== true || typeof cursor !== 'string') break;
  }
  const [only] = hits;
  return hits.size === 1 && only !== undefined ? only : null;
}
