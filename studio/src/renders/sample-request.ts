import { sentenceOf } from '@renderkit/contract/studio/issues.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { validateRequest } from '@renderkit/contract/studio/validate.ts';
import type { MediaSource } from '@renderkit/engine-kit/route.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import { acceptedShapes, type RequestShape, takes } from '@renderkit/manifests/accepted-requests.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import type { MediaStore } from '../storage/open-media.ts';
import { hasStandIn, keepStandIn } from './sample-media.ts';

/** The prompt of a sample that sets none. */
const usualPrompt = 'a lighthouse on a cliff above a calm sea, a small boat, evening light';

/** What a sample asks for: the simplest request that a model takes. */
export type SamplePlan = { shape: RequestShape } | { impossible: string };

/**
 * Plans the simplest sample of a model. `mayCost` also allows routes of paid providers. `impossible` tells an operator
 * why there is no sample.
 */
export function planSample(manifest: Manifest, { mayCost }: { mayCost: boolean }): SamplePlan {
  const routes = manifest.routes.filter(({ cost }) => mayCost || cost === undefined);
  if (routes.length === 0) return { impossible: 'A sample costs money here: ask for one with --sample.' };
  const shapes = (acceptedShapes(manifest) ?? [])
    .filter((shape) => shape.has.every(hasStandIn) && routes.some((route) => takes(route, shape)))
    // Sorting keeps the order of kinds.
    .toSorted((a, b) => a.has.length - b.has.length);
  const [shape] = shapes;
  return shape === undefined
    ? { impossible: 'It wants media that there are none of for samples.' }
    : { shape };
}

/**
 * Builds the request of a sample and stores the media that it needs.
 * @throws TypeError if the model does not take it
 */
export async function sampleRequest(
  { shape, prompt = usualPrompt }: { shape: RequestShape; prompt?: string | undefined },
  { offered }: CatalogModel,
  storage: MediaStore,
): Promise<RenderRequest> {
  const media = new Map<MediaSource, string>();
  for (const source of shape.has) media.set(source, await keepStandIn(source, storage));
  const references = media.get('references');
  const toggles = new Set(
    offered.parameters.options.filter(({ type }) => type === 'toggle').map(({ key }) => key),
  );
  const { issues, request } = validateRequest(shape.kind, offered, {
    prompt,
    options: Object.fromEntries(
      Object.entries(shape.options).map(([key, value]) => [key, toggles.has(key) ? value === 'true' : value]),
    ),
    ...(shape.mode === 'inpaint' && { mode: shape.mode }),
    ...(references !== undefined && { reference_images: [references] }),
    image: media.get('image'),
    mask: media.get('mask'),
    start_image: media.get('start_image'),
    end_image: media.get('end_image'),
  });
  const [issue] = issues;
  if (issue !== undefined) throw new TypeError(`${issue.field}: ${sentenceOf(issue)}`);
  return request;
}
