import type { ModelOption, StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import { type CatalogModel, defineModel, palette, seed, type Size } from './define-model.ts';

const second = (value: number) => ({ value: String(value), label: `${value} s` });
const sizes: Record<string, Size> = {
  '16:9': { width: 640, height: 360 },
  '9:16': { width: 360, height: 640 },
  '1:1': { width: 480, height: 480 },
};
const video: Pick<Parameters<typeof defineModel>[0], 'suites' | 'batch_size' | 'videoSizes'> = {
  suites: ['video'],
  batch_size: { Motion: 1 },
  videoSizes: sizes,
};
const frames = (named: Partial<StudioModel['parameters']['frames']>) => ({
  start: false,
  start_required: false,
  end: false,
  end_required: false,
  ...named,
});
const resolution: ModelOption = {
  key: 'resolution',
  name: 'Resolution',
  type: 'select',
  values: [
    { value: '360p', label: '360p' },
    { value: '480p', label: '480p (3 credits more)' },
    { value: '720p', label: '720p (8 credits more)' },
  ],
  default: '360p',
};

/** Videos from words, from images, with audio, from videos; and what comes after a video. */
export const videoModels: CatalogModel[] = [
  defineModel({
    ...video,
    id: 'drift-1',
    name: 'Drift',
    description:
      'Slow flights over painted land: clouds drift, water moves. May begin with a picture of yours. Procedural: ' +
      'drawn by a program, with no AI model behind it.',
    default_for: ['video'],
    engineModel: 'atelier',
    price: { base_millicredits: 5_000, per_second_millicredits: 2_000 },
    parameters: {
      video_aspect_ratios: Object.keys(sizes),
      durations: [5, 3, 8].map(second),
      frames: frames({ start: true }),
      max_reference_images: 1,
      options: [palette, seed],
    },
  }),
  defineModel({
    ...video,
    id: 'prism-motion-1',
    name: 'Prism in motion',
    description:
      'Turning glass and light, without a prompt too. Words alone make it: no frames, no references. ' +
      'Procedural, no AI model.',
    prompt_required: false,
    engineModel: 'prism',
    tiers: ['plus', 'pro'],
    price: { base_millicredits: 4_000, per_second_millicredits: 3_000 },
    parameters: {
      video_aspect_ratios: ['1:1', '16:9'],
      durations: [4, 8].map(second),
      cfg: { min: 1, max: 20, step: 0.5, default: 7 },
      options: [palette, seed],
    },
  }),
  defineModel({
    ...video,
    id: 'animate-1',
    name: 'Animate',
    description:
      'Sets a picture in motion: the first frame is yours, and the last may be too. Procedural, no AI model.',
    prompt_required: false,
    engineModel: 'atelier',
    price: { base_millicredits: 6_000, per_second_millicredits: 2_000 },
    parameters: {
      video_aspect_ratios: Object.keys(sizes),
      same_ratio_supported: true,
      durations: [3, 5].map(second),
      frames: frames({ start: true, start_required: true, end: true }),
      options: [seed],
    },
  }),
  defineModel({
    ...video,
    id: 'score-1',
    name: 'Score',
    description:
      'Pictures at night to sound of yours: the audio files follow one another to the end of the video. ' +
      'Procedural, no AI model.',
    engineModel: 'nocturne',
    tiers: ['plus', 'pro'],
    price: { base_millicredits: 6_000, per_second_millicredits: 2_000 },
    parameters: {
      video_aspect_ratios: ['16:9', '1:1'],
      durations: [5, 10].map(second),
      audio: { max_quantity: 2, max_duration: 60 },
      options: [seed],
    },
  }),
  defineModel({
    ...video,
    id: 'restyle-1',
    name: 'Restyle',
    description:
      'Draws a video of yours anew in ink, frame by frame, and keeps how it moves. Procedural, no AI model.',
    prompt_required: false,
    engineModel: 'linework',
    tiers: ['plus', 'pro'],
    price: { base_millicredits: 8_000, per_second_millicredits: 3_000 },
    parameters: {
      video_aspect_ratios: Object.keys(sizes),
      same_ratio_supported: true,
      durations: [3, 5].map(second),
      source_video: { max_duration: 60, min_width: 64, min_height: 64, max_filesize_mb: 100 },
      options: [seed],
    },
  }),
  defineModel({
    id: 'onward-1',
    name: 'Onward',
    description:
      'Goes on with a video of the library from its last frame; what it makes is the continuation alone. ' +
      'Procedural, no AI model.',
    suites: ['extend'],
    default_for: ['extend'],
    prompt_required: false,
    engineModel: 'atelier',
    batch_size: { ExtendVideo: 1 },
    price: {
      base_millicredits: 5_000,
      per_second_millicredits: 2_000,
      options: { resolution: { '480p': 3_000, '720p': 8_000 } },
    },
    parameters: { durations: [3, 5].map(second), options: [resolution] },
  }),
];
