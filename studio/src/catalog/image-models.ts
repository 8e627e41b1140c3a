import {
  type CatalogModel,
  defineModel,
  detail,
  everyRatio,
  grain,
  landscape,
  palette,
  portrait,
  type Ratio,
  seed,
  square,
} from './define-model.ts';

/** Images from words. */
export const imageModels: CatalogModel[] = [
  defineModel({
    suites: ['image'],
    id: 'atelier-1',
    name: 'Atelier',
    description:
      'Painted landscapes, seas, towns and portraits that follow the mood of your words. Procedural: drawn by a ' +
      'program from noise and colour theory, with no AI model behind it. The same seed makes the same picture.',
    engineModel: 'atelier',
    batch_size: { Conjure: 1 },
    price: { base_millicredits: 4_000 },
    default_for: ['image'],
    parameters: {
      aspect_ratios: everyRatio,
      cfg: { min: 1, max: 20, step: 0.5, default: 7 },
      sampler: 'brush,smooth,knife,stipple',
      max_reference_images: 2,
      options: [palette, grain, detail, seed],
    },
  }),
  defineModel({
    suites: ['image'],
    id: 'sketch-1',
    name: 'Sketch',
    description:
      'Small drafts in a blink, for trying a prompt or a program. Procedural: drawn by a program, with no AI model ' +
      'behind it.',
    engineModel: 'atelier',
    batch_size: { Conjure: 1 },
    price: { base_millicredits: 1_000 },
    parameters: {
      aspect_ratios: [
        { ratio: '1:1', width: 256, height: 256 },
        { ratio: '16:9', width: 464, height: 261 },
        { ratio: '9:16', width: 261, height: 464 },
      ],
      options: [seed],
    },
  }),
  defineModel({
    suites: ['image'],
    id: 'linework-1',
    name: 'Linework',
    description:
      'Ink drawings: contours, hatching, currents of fine lines. Two at a time. Ink makes no washes: it cannot be ' +
      'combined with the style Watercolour. Procedural, no AI model.',
    engineModel: 'linework',
    refusedStyles: ['sty_watercolour'],
    batch_size: { Conjure: 2 },
    price: { base_millicredits: 6_000 },
    parameters: {
      aspect_ratios: [square, ...landscape],
      weight: { min: 0.3, max: 2, step: 0.1, default: 1 },
      options: [palette, detail, seed],
    },
  }),
  defineModel({
    suites: ['image'],
    id: 'prism-1',
    name: 'Prism',
    description:
      'Geometric compositions of light and glass. Works without a prompt; four at a time. Procedural, no AI model.',
    engineModel: 'prism',
    batch_size: { Conjure: 4 },
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
  defineModel({
    suites: ['image'],
    id: 'nocturne-1',
    name: 'Nocturne',
    description:
      'Cities, space and land at night, sold as work for adults and so open to accounts of confirmed age only. ' +
      'Procedural: drawn by a program, with no AI model behind it.',
    engineModel: 'nocturne',
    batch_size: { Conjure: 1 },
    price: { base_millicredits: 8_000 },
    tiers: ['pro'],
    nsfw: true,
    parameters: {
      aspect_ratios: [square, ...portrait],
      cfg: { min: 0, max: 10, step: 1, default: 5 },
      weight: { min: 0, max: 1, step: 0.05, default: 0.5 },
      options: [grain, seed],
    },
  }),
  defineModel({
    suites: ['image'],
    id: 'papercut-studio',
    name: 'Papercut',
    kind: 'custom',
    description: "Layers of cut paper, made to the studio's own pattern. Procedural, no AI model.",
    engineModel: 'papercut',
    batch_size: { Conjure: 1 },
    tiers: ['plus', 'pro'],
    parameters: {
      aspect_ratios: [square, landscape[0] as Ratio, portrait[0] as Ratio],
      max_reference_images: 1,
      options: [palette, grain],
    },
    price: { base_millicredits: 5_000, per_reference_millicredits: 500 },
  }),
  defineModel({
    suites: ['image'],
    id: 'character/figures',
    name: 'Figures',
    kind: 'character',
    description:
      'One character after another, built from the words of the prompt. Choose the hand by its base model. ' +
      'Procedural, no AI model.',
    engineModel: 'figures',
    batch_size: { Conjure: 1 },
    price: { base_millicredits: 6_000 },
    parameters: {
      aspect_ratios: [square, portrait[1] as Ratio],
      weight: { min: 0.5, max: 1.5, step: 0.1, default: 1 },
      options: [palette, detail, seed],
    },
    base_models: { hand: { options: ['soft', 'bold'], default: 'soft' } },
    element: false,
  }),
];
