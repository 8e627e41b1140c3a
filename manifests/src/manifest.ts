import type { Route } from '@renderkit/engine-kit/route.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';

/** A model as its file says it, checked and complete: what is left out has its neutral value. */
export interface Manifest extends Omit<
  StudioModel,
  'parameters' | 'thumbnail' | 'base_models' | 'element' | 'subjects' | 'price'
> {
  readonly manifest: 1;
  /** File beside it. */
  readonly thumbnail: string | null;
  readonly refused_styles: readonly string[];
  /** Of an inpaint; left out, both. */
  readonly inpaint_types?: readonly ('refine' | 'fill')[];
  readonly parameters: Omit<StudioModel['parameters'], 'video_aspect_ratios'> & {
    /** Pixels by aspect ratio; the keys are what `video_aspect_ratios` offers. */
    readonly video_sizes: Readonly<Record<string, { readonly width: number; readonly height: number }>>;
  };
  readonly base_models?: StudioModel['base_models'];
  readonly element?: boolean;
  /** Left out, it draws whatever words say. */
  readonly subjects?: StudioModel['subjects'];
  readonly price: StudioModel['price'];
  /** In order of preference. */
  readonly routes: readonly Route[];
}

/** What the file of a manifest is called where it goes out. */
export function manifestName(id: string, source: string): string {
  const ending = source.trimStart().startsWith('{') ? 'json' : 'yaml';
  return `${id.replaceAll('/', '-')}.model.${ending}`;
}
