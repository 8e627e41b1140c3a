import { count, flag, id, mapOf, nullable, number, one, type Shape, text, timestamp } from './shape.ts';

// The objects of docs/api.md §2 and §7, member by member. They are written by hand here, so that a mistake in the
// contract is noticed.

const suite = one('image', 'edit', 'video', 'extend');
const kind = one('image', 'image_edit', 'video', 'video_extend');
const dial = nullable({ min: number, max: number, step: number, default: number });

export const balance: Shape = {
  object: one('balance'),
  balance: number,
  monthly: nullable(number),
  lifetime: nullable(number),
  monthly_allowance: nullable(number),
  next_refill: nullable(timestamp),
};

export const account: Shape = {
  id: text,
  object: one('account'),
  email: nullable(text),
  name: nullable(text),
  username: nullable(text),
  tier: nullable({ key: nullable(text), name: nullable(text) }),
  organization: flag,
  age_verified: flag,
  credits: nullable(balance),
  capabilities: {
    audio_upload: flag,
    video_upload: flag,
    uploads: flag,
    custom_models: flag,
    character_creation_modes: [text],
  },
};

const lane: Shape = { limit: count, running: count, queued: count };
export const limits: Shape = {
  object: one('limits'),
  overall: { limit: count, running: count },
  image: lane,
  edit: lane,
  video: lane,
};

export const model: Shape = {
  id: text,
  object: one('model'),
  name: text,
  kind: one('system', 'custom', 'character'),
  suites: [suite],
  default_for: [suite],
  inpaint: flag,
  nsfw: flag,
  description: nullable(text),
  thumbnail: nullable(text),
  prompt_required: flag,
  tiers: [text],
  batch_size: mapOf(number),
  parameters: {
    aspect_ratios: [{ ratio: text, width: number, height: number }],
    same_ratio_supported: flag,
    video_aspect_ratios: [text],
    durations: [{ value: text, label: text }],
    cfg: dial,
    weight: dial,
    clip_skip: dial,
    mask_blur: dial,
    sampler: nullable(text),
    max_reference_images: number,
    frames: { start: flag, start_required: flag, end: flag, end_required: flag },
    audio: nullable({ max_quantity: number, max_duration: number }),
    source_video: nullable({
      max_duration: number,
      min_width: nullable(number),
      min_height: nullable(number),
      max_filesize_mb: nullable(number),
    }),
    options: [
      {
        key: text,
        name: text,
        type: one('select', 'toggle', 'slider'),
        'values?': [{ value: text, label: text }],
        'min?': number,
        'max?': number,
        'step?': number,
        default: (value) => text(value) || number(value),
      },
    ],
  },
  'base_models?': mapOf({ options: [text], default: text }),
  'element?': flag,
};

export const style: Shape = {
  id: text,
  object: one('style'),
  name: text,
  type: one('image', 'video'),
  custom: flag,
};

export const suggestion: Shape = {
  id: text,
  object: one('suggestion'),
  name: text,
  category: nullable(text),
  category_id: nullable(text),
  suites: [suite],
  media_seconds: number,
};

export const project: Shape = {
  id: text,
  object: one('project'),
  title: text,
  updated_at: nullable(timestamp),
  last_generation: nullable({
    type: nullable(text),
    url: nullable(text),
    thumb_url: nullable(text),
    nsfw: flag,
  }),
};

export const asset: Shape = {
  id: text,
  object: one('asset'),
  type: one('image', 'video'),
  generation_type: nullable(text),
  url: nullable(text),
  thumb_url: nullable(text),
  width: nullable(number),
  height: nullable(number),
  duration: nullable(number),
  aspect_ratio: nullable(text),
  nsfw: flag,
  favorite: flag,
  project_id: nullable(text),
  prompt_id: nullable(text),
  created_at: nullable(timestamp),
};

export const frame: Shape = { object: one('frame'), url: text };

export const output: Shape = {
  id: text,
  type: one('image', 'video'),
  url: text,
  thumb_url: nullable(text),
  width: nullable(number),
  height: nullable(number),
  duration: nullable(number),
  nsfw: flag,
  request_id: nullable(number),
};

export const generation: Shape = {
  id: id('gen_'),
  object: one('generation'),
  kind,
  status: one('queued', 'running', 'succeeded', 'failed', 'canceled'),
  model: text,
  project_id: nullable(text),
  cost: { credits: nullable(number) },
  expected_outputs: count,
  outputs: [output],
  error: nullable({ code: text, message: text }),
  prompt_id: nullable(text),
  metadata: mapOf(text),
  created_at: timestamp,
  submitted_at: nullable(timestamp),
  completed_at: nullable(timestamp),
};

export const estimate: Shape = {
  object: one('estimate'),
  kind,
  model: text,
  credits: number,
  balance: nullable(number),
  sufficient: nullable(flag),
  outputs: count,
};

export const listOf = (item: Shape): Shape => ({
  object: one('list'),
  data: [item],
  page: count,
  limit: count,
  has_more: flag,
});

export const problem: Shape = {
  type: text,
  title: text,
  status: count,
  code: text,
  detail: (value) => text(value) && value !== '',
  request_id: id('req_'),
  'errors?': [{ field: text, message: text }],
};
