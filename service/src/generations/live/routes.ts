import { type Handlers, RawReply, StreamReply } from '../../http/handler.ts';
import type { Principal } from '../../identity/admission/principal.ts';
import type { KeyStreams } from '../../identity/keys/key-streams.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { checkedId } from '../reads/read-generation.ts';
import type { LiveGenerations } from './live-generations.ts';

/**
 * Serves the progress of a generation as a stream or as one answer, and its current preview.
 * `service/src/identity/keys/key-streams.ts` limits the open streams and ends those of a revoked key.
 */
export function liveRoutes({
  live,
  keyStreams,
}: {
  live: LiveGenerations;
  keyStreams: KeyStreams;
}): Pick<Handlers, 'watchGeneration' | 'getProgress' | 'getPreview'> {
  return {
    watchGeneration: async ({ principal, params, query }) => {
      const asked = askedOf(principal, params.id);
      await live.check(asked);
      return new StreamReply(
        keyStreams.opener(principal, (stream) => live.add(stream, asked, query.preview ?? 'link')),
      );
    },

    getProgress: async ({ principal, params }) => live.progress(askedOf(principal, params.id)),

    getPreview: async ({ principal, params, headers }) => {
      const asked = askedOf(principal, params.id);
      const preview = /^\d{1,3}$/.test(params.index)
        ? await live.preview(asked, Number(params.index))
        : undefined;
      if (preview === undefined)
        throw new ApiProblem('not_found', { detail: 'There is no such preview now.' });
      const etag = `"${asked.id}-${params.index}-${preview.revision}"`;
      if (headers['if-none-match']?.split(/\s*,\s*/).includes(etag) === true)
        return new RawReply(304, '', { etag });
      return new RawReply(200, preview.bytes, { etag, 'content-type': 'image/jpeg' });
    },
  };
}

const askedOf = ({ account }: Principal, id: string) => ({
  id: checkedId(id),
  accountId: account.id,
  studioAccountId: account.studioAccountId,
});
