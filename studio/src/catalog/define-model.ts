import { eachSetting } from '@renderkit/contract/studio/kinds.ts';
import type { ModelOption, StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Tier } from './plans.ts';

/** Pixels. */
export type Size = { width: number; height: number };

/** A model as the catalog offers it, and what the studio keeps to itself. */
export type CatalogModel = {
  offered: StudioModel;
  /** Which engine draws it, and the engine's own name for it. */
  engine: string;
  engineModel: string;
  /** Sizes of the videos it makes, by aspect ratio. */
  videoSizes: Readonly<Record<string, Size>>;
  /** Styles that it cannot be combined with. */
  refusedStyles: readonly string[];
  /** Key of the option that says how many seconds a render waits before anything of it is drawn. */
  delayOption: string | undefined;
};

export type Ratio = StudioModel['parameters']['aspect_ratios'][number];
type Parameters = StudioModel['parameters'];

export const square: Ratio = { ratio: '1:1', width: 1024, height: 1024 };
export const landscape: Ratio[] = [
  { ratio: '16:9', width: 1280, height: 720 },
  { ratio: '4:3', width: 1152, height: 864 },
  { ratio: '3:2', width: 1216, height: 808 },
];
export const portrait: Ratio[] = [
  { ratio: '9:16', width: 720, height: 1280 },
  { ratio: '3:4', width: 864, height: 1152 },
  { ratio: '2:3', width: 808, height: 1216 },
];
export const everyRatio = [square, ...landscape, ...portrait];

export const palette: ModelOption = {
  key: 'palette',
  name: 'Palette',
  type: 'select',
  values: [
    { value: 'natural', label: 'Natural' },
    { value: 'vivid', label: 'Vivid' },
    { value: 'pastel', label: 'Pastel' },
    { value: 'mono', label: 'Monochrome' },
  ],
  default: 'natural',
};
export const grain: ModelOption = { key: 'grain', name: 'Paper grain', type: 'toggle', default: 1 };
export const detail: ModelOption = {
  key: 'detail',
  name: 'Detail',
  type: 'slider',
  min: 1,
  max: 10,
  step: 1,
  default: 6,
};
/** -1 draws a new seed for each generation; any other value makes the same image again. */
export const seed: ModelOption = {
  key: 'seed',
  name: 'Seed',
  type: 'slider',
  min: -1,
  max: 4_294_967_295,
  step: 1,
  default: -1,
};

const noParameters: Parameters = {
  aspect_ratios: [square],
  same_ratio_supported: false,
  video_aspect_ratios: [],
  durations: [],
  ...eachSetting(() => null),
  sampler: null,
  max_reference_images: 0,
  frames: { start: false, start_required: false, end: false, end_required: false },
  audio: null,
  source_video: null,
  options: [],
};

/** What has to be said of a model; the rest is as with most. */
type Definition = Pick<StudioModel, 'id' | 'name' | 'description' | 'suites' | 'batch_size' | 'price'> & {
  engineModel: string;
  engine?: string;
  videoSizes?: CatalogModel['videoSizes'];
  refusedStyles?: readonly string[];
  delayOption?: string;
  tiers?: Tier[];
  parameters: Partial<Parameters>;
} & Partial<Omit<StudioModel, 'parameters' | 'tiers'>>;

export function defineModel(definition: Definition): CatalogModel {
  const {
    engine = 'procedural',
    engineModel,
    videoSizes = {},
    refusedStyles = [],
    delayOption,
    parameters,
    tiers = [],
    ...rest
  } = definition;
  return {
    engine,
    engineModel,
    videoSizes,
    refusedStyles,
    delayOption,
    offered: {
      kind: 'system',
      default_for: [],
      inpaint: false,
      nsfw: false,
      thumbnail: null,
      prompt_required: true,
      tiers,
      ...rest,
      parameters: { ...noParameters, ...parameters },
    },
  };
}
