import { type Generation, type Key, type Model, rangeNames, type Upload } from './objects.generated.ts';
import type { WebhookEvent } from './webhooks.ts';

/** A picture of one white pixel, as a link that every `fetch` can follow. */
export const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=';

/** Start time of the mock's clock, in milliseconds since 1970. */
export const start = Date.UTC(2026, 0, 1);

const at = new Date(start).toISOString();

export const sampleUpload: Upload = {
  id: 'upl_sample00000000',
  object: 'upload',
  status: 'ready',
  type: 'image',
  url: pixel,
  file_name: 'file',
  content_type: 'image/png',
  size_bytes: 68,
  width: 1,
  height: 1,
  error: null,
  created_at: at,
};

const sampleGeneration: Generation = {
  id: 'gen_sample00000000',
  object: 'generation',
  kind: 'image',
  status: 'succeeded',
  model: 'mock-1',
  project_id: null,
  cost: { credits: 1 },
  expected_outputs: 1,
  outputs: [
    {
      id: 'out_sample00000000',
      type: 'image',
      url: pixel,
      thumb_url: null,
      width: 1,
      height: 1,
      duration: null,
      nsfw: false,
      request_id: null,
    },
  ],
  error: null,
  prompt_id: null,
  metadata: {},
  created_at: at,
  submitted_at: at,
  completed_at: at,
};

/** The key of the mock: it has all scopes and never asks for a confirmation. */
export const sampleKey: Key = {
  object: 'key',
  id: 'key_mock',
  name: 'Mock',
  scopes: ['read', 'generate', 'uploads', 'projects', 'library'],
  created_at: at,
  expires_at: null,
  requests_per_minute: 120,
  daily_budget: null,
  confirm_above: null,
};

const noRanges = Object.fromEntries(rangeNames.map((name) => [name, null])) as Record<
  (typeof rangeNames)[number],
  null
>;

/** The one model of the mock. */
export const sampleModel: Model = {
  id: 'mock-1',
  object: 'model',
  name: 'Mock',
  kind: 'system',
  suites: ['image', 'edit', 'video', 'extend'],
  default_for: ['image', 'edit', 'video', 'extend'],
  inpaint: true,
  nsfw: false,
  description: 'Gives one pixel for whatever is asked.',
  thumbnail: null,
  prompt_required: true,
  tiers: [],
  batch_size: { image: 1, edit: 1, video: 1, extend: 1 },
  parameters: {
    aspect_ratios: [{ ratio: '1:1', width: 1, height: 1 }],
    same_ratio_supported: true,
    video_aspect_ratios: ['1:1'],
    durations: [{ value: '5', label: '5 s' }],
    ...noRanges,
    sampler: null,
    options: [],
    max_reference_images: 4,
    frames: { start: true, end: true, start_required: false, end_required: false },
    audio: null,
    source_video: null,
  },
};

const sampleData: { [Type in WebhookEvent['type']]: Extract<WebhookEvent, { type: Type }>['data'] } = {
  'generation.succeeded': sampleGeneration,
  'generation.failed': {
    ...sampleGeneration,
    status: 'failed',
    outputs: [],
    error: { code: 'render_failed', message: 'The generation has failed.' },
  },
  'upload.ready': sampleUpload,
  'upload.rejected': { ...sampleUpload, status: 'rejected', error: 'The file is no picture.' },
  ping: { message: 'It works.' },
};

/** The types of events that webhooks deliver. */
export const sampleEventTypes = Object.keys(sampleData) as WebhookEvent['type'][];

/**
 * Returns a sample event as a webhook delivers it. `data` replaces fields of the event's object:
 * `sampleEvent('generation.failed', { id })`.
 */
export function sampleEvent<Type extends WebhookEvent['type']>(
  type: Type,
  data: Partial<Extract<WebhookEvent, { type: Type }>['data']> = {},
): Extract<WebhookEvent, { type: Type }> {
  return {
    id: `evt_${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`,
    object: 'event',
    type,
    created_at: new Date().toISOString(),
    data: { ...sampleData[type], ...data },
  } as Extract<WebhookEvent, { type: Type }>;
}
