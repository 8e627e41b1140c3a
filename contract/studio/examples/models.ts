import { eachSetting } from '../kinds.ts';
import type { StudioModel, StudioStyle, StudioSuggestion } from '../schemas/catalog.ts';

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
      ...eachSetting(() => null),
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

/** Returns a model that edits pictures and masked parts of them. */
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

/** Returns a model that makes videos from every possible kind of input. */
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

/** Returns a model that extends videos. */
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

const rich = exampleModel({
  id: 'character/rich',
  default_for: [],
  batch_size: { Conjure: 2 },
  price: {
    base_millicredits: 6_000,
    per_reference_millicredits: 500,
    options: { finish: { fine: 2_000 }, grain: { true: 250 } },
  },
  base_models: { hand: { options: ['soft', 'bold'], default: 'soft' } },
  parameters: {
    aspect_ratios: [
      { ratio: '16:9', width: 128, height: 72 },
      { ratio: '1:1', width: 64, height: 64 },
    ],
    cfg: { min: 1, max: 20, step: 0.5, default: 7 },
    weight: { min: 0.3, max: 2, step: 0.1, default: 1 },
    clip_skip: { min: 1, max: 4, step: 1, default: 2 },
    sampler: 'brush, knife',
    max_reference_images: 2,
    options: [
      {
        key: 'finish',
        name: 'Finish',
        type: 'select',
        values: [
          { value: 'standard', label: 'Standard' },
          { value: 'fine', label: 'Fine' },
          { value: '3', label: 'Three' },
        ],
        default: 'standard',
      },
      { key: 'grain', name: 'Grain', type: 'toggle', default: 1 },
      { key: 'detail', name: 'Detail', type: 'slider', min: 1, max: 10, step: 1, default: 6 },
      { key: 'seed', name: 'Seed', type: 'slider', min: -1, max: 4_294_967_295, step: 1, default: -1 },
    ],
  },
});

const worded = exampleModel({
  id: 'worded',
  default_for: [],
  parameters: {
    options: [{ key: 'without', name: 'Without', type: 'text', max_length: 5, default: 'fog' }],
  },
});

const blunt = exampleEditModel({
  id: 'blunt',
  default_for: [],
  inpaint: false,
  price: { base_millicredits: 3_000, per_reference_millicredits: 250, options: { look: { wild: 500 } } },
  parameters: {
    same_ratio_supported: false,
    mask_blur: null,
    aspect_ratios: rich.parameters.aspect_ratios,
    options: [
      {
        key: 'look',
        name: 'Look',
        type: 'select',
        values: [
          { value: 'calm', label: 'Calm' },
          { value: 'wild', label: 'Wild' },
        ],
        default: 'calm',
      },
    ],
  },
});

const noFrames = { start: false, start_required: false, end: false, end_required: false };
const wordsOnly = exampleVideoModel({
  id: 'words-only',
  default_for: [],
  parameters: {
    frames: noFrames,
    audio: null,
    source_video: null,
    max_reference_images: 0,
    durations: [],
    video_aspect_ratios: [],
  },
});
const fromStart = exampleVideoModel({
  id: 'from-start',
  default_for: [],
  prompt_required: false,
  parameters: {
    same_ratio_supported: true,
    frames: { ...noFrames, start: true, start_required: true },
    durations: [{ value: '2.5', label: 'short' }],
  },
});
const bothEnds = exampleVideoModel({
  id: 'both-ends',
  default_for: [],
  parameters: { frames: { start: true, start_required: true, end: true, end_required: true } },
});
const odd = exampleVideoModel({
  id: 'odd',
  default_for: [],
  parameters: {
    durations: [
      { value: 'auto', label: 'Auto' },
      { value: '3', label: '3 s' },
    ],
  },
});

/** The models of the examples, by their ids. */
export const exampleModels = {
  plain: exampleModel(),
  wordless: exampleModel({ id: 'wordless', default_for: [], prompt_required: false }),
  'character/rich': rich,
  worded,
  brush: exampleEditModel(),
  blunt,
  reel: exampleVideoModel(),
  'words-only': wordsOnly,
  'from-start': fromStart,
  'both-ends': bothEnds,
  odd,
  onward: exampleExtendModel(),
  'onward/one-size': exampleExtendModel({
    id: 'onward/one-size',
    default_for: [],
    parameters: { options: [] },
  }),
  'onward/wordy': exampleExtendModel({ id: 'onward/wordy', default_for: [], prompt_required: true }),
} as const;

export const exampleStyles: readonly StudioStyle[] = [
  { id: 'ink', name: 'Ink', type: 'image', custom: false },
  { id: 'own', name: 'Own', type: 'image', custom: true },
  { id: 'film', name: 'Film', type: 'video', custom: false },
];

export const exampleSuggestions: readonly StudioSuggestion[] = [
  suggestion('dawn', 'light', ['image']),
  suggestion('noon', 'light', ['image', 'video']),
  suggestion('fog', 'weather', ['image']),
  suggestion('rush', 'motion', ['video']),
  suggestion('loose', null, ['image']),
  suggestion('free', null, ['image']),
];

function suggestion(
  id: string,
  category: string | null,
  suites: StudioSuggestion['suites'],
): StudioSuggestion {
  return { id, name: id, category, category_id: category, suites, media_seconds: 0 };
}
