import type { Catalog, StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';

type Changes = Partial<Omit<StudioModel, 'parameters'>> & { parameters?: Partial<StudioModel['parameters']> };

export function exampleModel(model: Changes = {}): StudioModel {
  return {
    id: 'plain',
    name: 'Plain',
    kind: 'system',
    suites: ['image'],
    default_for: ['image'],
    inpaint: false,
    nsfw: false,
    description: null,
    thumbnail: null,
    prompt_required: true,
    tiers: [],
    batch_size: { Conjure: 1 },
    price: { base_millicredits: 4_000 },
    ...model,
    parameters: {
      aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }],
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
      ...model.parameters,
    },
  };
}

/** Changes pictures and masked parts of them. */
export function exampleEditModel(model: Changes = {}): StudioModel {
  return exampleModel({
    id: 'brush',
    name: 'Brush',
    suites: ['edit'],
    default_for: ['edit'],
    inpaint: true,
    batch_size: { Transform: 1 },
    price: { base_millicredits: 3_000 },
    ...model,
    parameters: {
      same_ratio_supported: true,
      mask_blur: { min: 0, max: 64, step: 1, default: 4 },
      ...model.parameters,
    },
  });
}

/** Makes videos of all that a video can be made of. */
export function exampleVideoModel(model: Changes = {}): StudioModel {
  return exampleModel({
    id: 'reel',
    name: 'Reel',
    suites: ['video'],
    default_for: ['video'],
    batch_size: { Motion: 1 },
    price: { base_millicredits: 10_000, per_second_millicredits: 2_000 },
    ...model,
    parameters: {
      aspect_ratios: [],
      video_aspect_ratios: ['16:9', '1:1'],
      durations: [
        { value: '5', label: '5 s' },
        { value: '10', label: '10 s' },
      ],
      max_reference_images: 1,
      frames: { start: true, start_required: false, end: true, end_required: false },
      audio: { max_quantity: 1, max_duration: 30 },
      source_video: { max_duration: 30, min_width: null, min_height: null, max_filesize_mb: null },
      ...model.parameters,
    },
  });
}

/** Continues videos. */
export function exampleExtendModel(model: Changes = {}): StudioModel {
  return exampleModel({
    id: 'onward',
    name: 'Onward',
    suites: ['extend'],
    default_for: ['extend'],
    prompt_required: false,
    batch_size: { ExtendVideo: 1 },
    price: {
      base_millicredits: 5_000,
      per_second_millicredits: 1_000,
      options: { resolution: { '720p': 4_000 } },
    },
    ...model,
    parameters: {
      aspect_ratios: [],
      durations: [
        { value: '4', label: '4 s' },
        { value: '7.5', label: '7.5 s' },
      ],
      options: [
        {
          key: 'resolution',
          name: 'Resolution',
          type: 'select',
          values: [
            { value: '480p', label: '480p' },
            { value: '720p', label: '720p' },
          ],
          default: '480p',
        },
      ],
      ...model.parameters,
    },
  });
}

export function exampleCatalog(): Catalog {
  return {
    version: 'v1',
    plan: 'plus',
    models: [
      exampleModel(),
      exampleModel({ id: 'grand', name: 'Grand', default_for: [], tiers: ['pro'] }),
      exampleModel({ id: 'night/adult', name: 'Night', default_for: [], nsfw: true }),
      exampleEditModel(),
      exampleVideoModel(),
      exampleExtendModel(),
    ],
    styles: [
      { id: 'ink', name: 'Ink', type: 'image', custom: false },
      { id: 'film', name: 'Film', type: 'video', custom: false },
    ],
    suggestions: [],
  };
}
