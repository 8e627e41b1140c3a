import type { Route } from '@renderkit/engine-kit/route.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';

/**
 * A model as its file defines it, checked and complete: missing keys have their neutral values. `manifest-schema.ts`
 * has the keys, and `read-manifest.ts` the neutral values.
 */
export interface Manifest extends Omit<
  StudioModel,
  'parameters' | 'thumbnail' | 'base_models' | 'element' | 'subjects' | 'price'
> {
  readonly manifest: 1;
  /** File name; the file is next to the manifest. */
  readonly thumbnail: string | null;
  readonly refused_styles: readonly string[];
  /** For an inpaint; absent means both. */
  readonly inpaint_types?: readonly ('refine' | 'fill')[];
  readonly parameters: Omit<StudioModel['parameters'], 'video_aspect_ratios'> & {
    /** Pixels by aspect ratio; the keys are what `video_aspect_ratios` offers. */
    readonly video_sizes: Readonly<Record<string, { readonly width: number; readonly height: number }>>;
  };
  readonly base_models?: StudioModel['base_models'];
  readonly element?: boolean;
  /** Absent means that the model draws whatever the prompt describes. */
  readonly subjects?: StudioModel['subjects'];
  readonly price: StudioModel['price'];
  /** In order of preference. */
  readonly routes: readonly Route[];
}

/** Returns the file name of a manifest for a download. */
export function manifestName(id: string, source: string): string {
  const ending = source.trimStart().startsWith('{') ? 'json' : 'yaml';
  return `${id.replaceAll('/', '-')}.model.${ending}`;
}
