import {
  type CatalogModel,
  defineModel,
  detail,
  everyRatio,
  grain,
  landscape,
  palette,
  seed,
  square,
} from './define-model.ts';

/** Images from images: a whole one drawn anew, or what a mask leaves free. */
export const editModels: CatalogModel[] = [
  defineModel({
    id: 'retouch-1',
    name: 'Retouch',
    description:
      'Paints over a picture, or over the white of a mask and nothing else; keeps the size of its source unless ' +
      'another ratio is asked for. Procedural: drawn by a program, with no AI model behind it.',
    suites: ['edit'],
    default_for: ['edit'],
    inpaint: true,
    engineModel: 'atelier',
    batch_size: { Transform: 1 },
    price: { base_millicredits: 5_000, per_reference_millicredits: 500 },
    parameters: {
      aspect_ratios: everyRatio,
      same_ratio_supported: true,
      cfg: { min: 1, max: 20, step: 0.5, default: 7 },
      mask_blur: { min: 0, max: 64, step: 1, default: 4 },
      sampler: 'brush,smooth,knife,stipple',
      max_reference_images: 2,
      options: [palette, grain, detail, seed],
    },
  }),
  defineModel({
    id: 'engrave-1',
    name: 'Engrave',
    description:
      'Makes ink drawings of pictures, two at a time, in one of its own formats; has no use for masks. ' +
      'Procedural, no AI model.',
    suites: ['edit'],
    prompt_required: false,
    engineModel: 'linework',
    batch_size: { Transform: 2 },
    price: { base_millicredits: 6_000 },
    parameters: {
      aspect_ratios: [square, ...landscape],
      weight: { min: 0.3, max: 2, step: 0.1, default: 1 },
      options: [detail, seed],
    },
  }),
  defineModel({
    id: 'collage-studio',
    name: 'Collage',
    kind: 'custom',
    description:
      'Cuts a picture, or the white of a mask, out of coloured paper, always with a clean edge. Procedural, no AI model.',
    suites: ['edit'],
    inpaint: true,
    engineModel: 'papercut',
    tiers: ['plus', 'pro'],
    batch_size: { Transform: 1 },
    price: { base_millicredits: 7_000 },
    parameters: {
      aspect_ratios: [square],
      same_ratio_supported: true,
      options: [palette, grain],
    },
  }),
];
