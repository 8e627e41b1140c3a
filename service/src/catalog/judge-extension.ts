import type { ExtendVideoRequest } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { CatalogIndex } from './catalog-index.ts';
import { createFaults, judgeOptions } from './judge-fields.ts';
import { type Fitted, judgeDuration, judgePrompt, judgeWords, settleFaults } from './judge-model.ts';

/** The option of an extend model that the field `resolution` of a request sets. */
const resolutionKey = 'resolution';

/** The extend request (docs/api.md §4), for the platform's one model. @throws ApiProblem invalid_request, tier_required */
export function judgeExtension(index: CatalogIndex, body: ExtendVideoRequest): Fitted {
  const indexed = index.defaults.get('extend');
  // The client could name no other.
  if (indexed === undefined)
    throw new ApiProblem('invalid_request', { detail: 'The studio has no model that extends videos.' });
  const { model } = indexed;
  const faults = createFaults();
  const words = judgeWords(faults, body, 'extend', index);
  judgePrompt(faults, body.prompt, indexed);
  if (/^(?:upl_|[a-z][a-z0-9+.-]*:)/i.test(body.video_id))
    faults.add('video_id', 'must be the id of a video in the library');
  const length = judgeDuration(faults, body.duration, indexed);
  const sent: Record<string, string> =
    body.resolution === undefined ? {} : { [resolutionKey]: body.resolution };
  const options = judgeOptions(faults, sent, indexed, (key) =>
    key === resolutionKey ? key : `options.${key}`,
  );
  settleFaults(faults, indexed);
  const resolution = options[resolutionKey];
  return {
    model,
    renderRequest: {
      kind: 'video_extend',
      model: model.id,
      ...words,
      options,
      reference_images: [],
      ...length,
      video_id: body.video_id,
      ...(resolution !== undefined && { resolution: String(resolution) }),
    },
  };
}
