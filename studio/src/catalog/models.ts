import type { ModelOption, StudioModel } from '@renderkit/contract/studio/schemas.ts';
import type { Tier } from './plans.ts';

/** A model as the catalog offers it, and what the studio keeps to itself: which engine draws it. */
export type CatalogModel = { offered: StudioModel; engine: string; engineModel: string };

type Ratio = StudioModel['parameters']['aspect_ratios'][number];
type Parameters = StudioModel['parameters'];

const square: Ratio = { ratio: '1:1', width: 1024, height: 1024 };
const landscape: Ratio[] = [
  { ratio: '16:9', width: 1280, height: 720 },
  { ratio: '4:3', width: 1152, height: 864 },
  { ratio: '3:2', width: 1216, height: 808 },
];
const portrait: Ratio[] = [
  { ratio: '9:16', width: 720, height: 1280 },
  { ratio: '3:4', width: 864, height: 1152 },
  { ratio: '2:3', width: 808, height: 1216 },
];
const everyRatio = [square, ...landscape, ...portrait];

const palette: ModelOption = {
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
const grain: ModelOption = { key: 'grain', name: 'Paper grain', type: 'toggle', default: 1 };
const detail: ModelOption = {
  key: 'detail',
  name: 'Detail',
  type: 'slider',
  min: 1,
  max: 10,
  step: 1,
  default: 6,
};
/** -1 draws a new seed for each generation; any other value makes the same picture again. */
const seed: ModelOption = {
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
  cfg: null,
  weight: null,
  clip_skip: null,
  mask_blur: null,
  sampler: null,
  max_reference_images: 0,
  frames: { start: false, start_required: false, end: false, end_required: false },
  audio: null,
  source_video: null,
  options: [],
};

type ImageModel = Pick<StudioModel, 'id' | 'name' | 'description'> & {
  engineModel: string;
  credits: number;
  batch: 1 | 2 | 4;
  tiers?: Tier[];
  parameters: Partial<Parameters>;
} & Partial<Omit<StudioModel, 'parameters'>>;

function imageModel(model: ImageModel): CatalogModel {
  const { engineModel, credits, batch, parameters, tiers = [], ...rest } = model;
  return {
    engine: 'procedural',
    engineModel,
    offered: {
      kind: 'system',
      suites: ['image'],
      default_for: [],
      inpaint: false,
      nsfw: false,
      thumbnail: null,
      prompt_required: true,
      tiers,
      batch_size: { Conjure: batch },
      price: { base_millicredits: credits * 1000 },
      ...rest,
      parameters: { ...noParameters, ...parameters },
    },
  };
}

export const models: CatalogModel[] = [
  imageModel({
    id: 'atelier-1',
    name: 'Atelier',
    description:
      'Painted landscapes, seas, towns and portraits that follow the mood of your words. Procedural: drawn by a ' +
      'program from noise and colour theory, with no AI model behind it. The same seed makes the same picture.',
    engineModel: 'atelier',
    credits: 4,
    batch: 1,
    default_for: ['image'],
    parameters: {
      aspect_ratios: everyRatio,
      cfg: { min: 1, max: 20, step: 0.5, default: 7 },
      sampler: 'brush,smooth,knife,stipple',
      max_reference_images: 2,
      options: [palette, grain, detail, seed],
    },
  }),
  imageModel({
    id: 'sketch-1',
    name: 'Sketch',
    description:
      'Small drafts in a blink, for trying a prompt or a program. Procedural: drawn by a program, with no AI model ' +
      'behind it.',
    engineModel: 'atelier',
    credits: 1,
    batch: 1,
    parameters: {
      aspect_ratios: [
        { ratio: '1:1', width: 256, height: 256 },
        { ratio: '16:9', width: 464, height: 261 },
        { ratio: '9:16', width: 261, height: 464 },
      ],
      options: [seed],
    },
  }),
  imageModel({
    id: 'linework-1',
    name: 'Linework',
    description:
      'Ink drawings: contours, hatching, currents of fine lines. Two at a time. Procedural, no AI model.',
    engineModel: 'linework',
    credits: 6,
    batch: 2,
    parameters: {
      aspect_ratios: [square, ...landscape],
      weight: { min: 0.3, max: 2, step: 0.1, default: 1 },
      options: [palette, detail, seed],
    },
  }),
  imageModel({
    id: 'prism-1',
    name: 'Prism',
    description:
      'Geometric compositions of light and glass. Works without a prompt; four at a time. Procedural, no AI model.',
    engineModel: 'prism',
    credits: 10,
    batch: 4,
    tiers: ['plus', 'pro'],
    prompt_required: false,
    parameters: {
      aspect_ratios: [square, ...portrait],
      clip_skip: { min: 1, max: 4, step: 1, default: 1 },
      max_reference_images: 4,
      options: [
        palette,
        {
          key: 'finish',
          name: 'Finish',
          type: 'select',
          values: [
            { value: 'standard', label: 'Standard' },
            { value: 'fine', label: 'Fine (2 credits more)' },
          ],
          default: 'standard',
        },
        seed,
      ],
    },
    price: { base_millicredits: 10_000, options: { finish: { fine: 2_000 } } },
  }),
  imageModel({
    id: 'nocturne-1',
    name: 'Nocturne',
    description:
      'Cities, space and land at night, sold as work for adults and so open to accounts of confirmed age only. ' +
      'Procedural: drawn by a program, with no AI model behind it.',
    engineModel: 'nocturne',
    credits: 8,
    batch: 1,
    tiers: ['pro'],
    nsfw: true,
    parameters: {
      aspect_ratios: [square, ...portrait],
      cfg: { min: 0, max: 10, step: 1, default: 5 },
      weight: { min: 0, max: 1, step: 0.05, default: 0.5 },
      options: [grain, seed],
    },
  }),
  imageModel({
    id: 'papercut-studio',
    name: 'Papercut',
    kind: 'custom',
    description: "Layers of cut paper, made to the studio's own pattern. Procedural, no AI model.",
    engineModel: 'papercut',
    credits: 5,
    batch: 1,
    tiers: ['plus', 'pro'],
    parameters: {
      aspect_ratios: [square, landscape[0] as Ratio, portrait[0] as Ratio],
      max_reference_images: 1,
      options: [palette, grain],
    },
    price: { base_millicredits: 5_000, per_reference_millicredits: 500 },
  }),
  imageModel({
    id: 'character/figures',
    name: 'Figures',
    kind: 'character',
    description:
      'One character after another, built from the words of the prompt. Choose the hand by its base model. ' +
      'Procedural, no AI model.',
    engineModel: 'figures',
    credits: 6,
    batch: 1,
    parameters: {
      aspect_ratios: [square, portrait[1] as Ratio],
      weight: { min: 0.5, max: 1.5, step: 0.1, default: 1 },
      options: [palette, detail, seed],
    },
    base_models: { hand: { options: ['soft', 'bold'], default: 'soft' } },
    element: false,
  }),
];
