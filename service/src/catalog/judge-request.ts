import type { Kind, Lane, Suite } from '@renderkit/contract/studio/kinds.ts';
import { price } from '@renderkit/contract/studio/price.ts';
import type { Catalog, StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type {
  CreateEditRequest,
  CreateImageRequest,
  CreateVideoRequest,
  ExtendVideoRequest,
} from '@renderkit/contract/v1/schemas/generation-requests.ts';
import { batchSizeKeys } from '@renderkit/contract/v1/schemas/model.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { type CatalogIndex, indexOf } from './catalog-index.ts';
import { judgeEdit } from './judge-edit.ts';
import { judgeExtension } from './judge-extension.ts';
import { judgeImage } from './judge-image.ts';
import type { Fitted } from './judge-model.ts';
import { judgeVideo } from './judge-video.ts';

/** A request that the catalog has nothing against, as the studio will understand it. */
export type Judged = {
  model: StudioModel;
  /** Every default filled in. */
  renderRequest: RenderRequest;
  lane: Lane;
  costMillicredits: number;
  outputs: number;
};

type Bodies = {
  image: CreateImageRequest;
  image_edit: CreateEditRequest;
  video: CreateVideoRequest;
  video_extend: ExtendVideoRequest;
};

type RequestJudge<Body> = {
  suite: Suite;
  lane: Lane;
  judge: (index: CatalogIndex, body: Body) => Fitted;
};

/** Who judges the body of a create, by its kind. */
const judges: { [K in Kind]: RequestJudge<Bodies[K]> } = {
  image: { suite: 'image', lane: 'image', judge: judgeImage },
  image_edit: { suite: 'edit', lane: 'edit', judge: judgeEdit },
  video: { suite: 'video', lane: 'video', judge: judgeVideo },
  video_extend: { suite: 'extend', lane: 'video', judge: judgeExtension },
};

/** The suite of models that makes a kind. */
export function suiteOf(kind: Kind): Suite {
  return judges[kind].suite;
}

/**
 * Judges the body of a create that the schema of its kind has let through against the model that it means (docs/api.md
 * §4): first whatever is wrong with its fields, all at once, then whether the plan includes the model.
 * @throws ApiProblem invalid_request, tier_required
 */
export function judgeRequest(catalog: Catalog, kind: Kind, body: unknown): Judged {
  const { suite, lane, judge } = judges[kind] as RequestJudge<unknown>;
  const { model, renderRequest } = judge(indexOf(catalog), body);
  return {
    model,
    renderRequest,
    lane,
    costMillicredits: price(model.price, {
      options: renderRequest.options,
      referenceImages: renderRequest.reference_images.length,
      ...(renderRequest.duration_seconds !== undefined && {
        durationSeconds: renderRequest.duration_seconds,
      }),
    }),
    outputs: model.batch_size[batchSizeKeys[suite]] ?? 1,
  };
}

/** The model for adults on an account whose age is not known: refused after all else that the catalog says. */
export function requireAge(model: StudioModel, ageVerified: boolean): void {
  if (model.nsfw && !ageVerified)
    throw new ApiProblem('forbidden', {
      detail: `The model ${model.id} is for accounts whose age has been verified.`,
    });
}
