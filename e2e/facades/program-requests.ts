// Requests of existing programs, copied from their sources: each names the source file. Fields, their order and their
// types are theirs; texts and pictures are ours. programs.slow.test.ts checks what each program reads from the answer.

/** Stands for a picture in a form. */
export const picture = Symbol('picture');

export type ProgramRequest = {
  program: 'Open WebUI' | 'LibreChat' | 'SillyTavern' | 'n8n';
  what: string;
  /** The source file in the program's repository. */
  source: string;
  method: 'GET' | 'POST';
  /** The path after the address that is set in the program. */
  path: string;
  json?: Record<string, unknown>;
  /** The parts of a form, in order. */
  form?: readonly (readonly [name: string, value: string | typeof picture])[];
  headers?: Record<string, string>;
};

const prompt = 'a lighthouse above a calm sea';
const openWebUi = { program: 'Open WebUI', source: 'backend/open_webui/routers/images.py' } as const;
const libreChatOpenAi = {
  program: 'LibreChat',
  source: 'api/app/clients/tools/structured/OpenAIImageTools.js',
} as const;
const libreChatOpenRouter = {
  program: 'LibreChat',
  source: 'api/app/clients/tools/structured/OpenRouterImageGen.js',
} as const;
const sillyTavern = { program: 'SillyTavern', source: 'src/endpoints/stable-diffusion.js' } as const;
const n8n = 'packages/@n8n/nodes-langchain/nodes/vendors/OpenAi/v2/actions';

/** Requests of OpenAI's API. The programs read `data[].b64_json`; only n8n with addresses reads `data[].url`. */
export const openAiRequests: readonly ProgramRequest[] = [
  {
    ...openWebUi,
    what: 'a picture',
    method: 'POST',
    path: '/images/generations',
    headers: { 'x-openwebui-user-name': 'Ada' },
    json: { model: 'dall-e-3', prompt, n: 1, size: '512x512', response_format: 'b64_json' },
  },
  {
    ...openWebUi,
    what: 'a picture of a model that takes no response_format, of a server with versions',
    method: 'POST',
    path: '/images/generations?api-version=2025-04-01-preview',
    json: { model: 'gpt-image-1', prompt, n: 1, size: 'auto' },
  },
  {
    ...openWebUi,
    what: 'pictures changed',
    method: 'POST',
    path: '/images/edits',
    form: [
      ['model', 'gpt-image-1'],
      ['prompt', prompt],
      ['n', '1'],
      ['size', '512x512'],
      ['response_format', 'b64_json'],
      ['image[]', picture],
    ],
  },
  {
    ...openWebUi,
    what: 'a single picture changed',
    method: 'POST',
    path: '/images/edits',
    form: [
      ['model', 'gpt-image-1'],
      ['prompt', prompt],
      ['n', '1'],
      ['background', 'opaque'],
      ['image', picture],
    ],
  },
  {
    ...libreChatOpenAi,
    what: 'a picture',
    method: 'POST',
    path: '/images/generations',
    headers: { 'x-stainless-retry-count': '0', 'x-stainless-lang': 'js' },
    json: {
      model: 'gpt-image-1',
      prompt,
      n: 1,
      background: 'auto',
      output_format: 'png',
      quality: 'auto',
      size: 'auto',
    },
  },
  {
    ...libreChatOpenAi,
    what: 'a picture changed',
    method: 'POST',
    path: '/images/edits',
    form: [
      ['model', 'gpt-image-1'],
      ['prompt', prompt],
      ['quality', 'auto'],
      ['size', 'auto'],
      ['image[]', picture],
    ],
  },
  {
    program: 'n8n',
    source: `${n8n}/image/generate.operation.ts`,
    what: 'a picture',
    method: 'POST',
    path: '/images/generations',
    json: { prompt, model: 'gpt-image-1-mini', quality: 'medium', size: '1024x1024', n: 1 },
  },
  {
    program: 'n8n',
    source: `${n8n}/image/generate.operation.ts`,
    what: 'addresses of pictures',
    method: 'POST',
    path: '/images/generations',
    json: { prompt, model: 'dall-e-3', response_format: 'url', quality: 'hd', style: 'natural' },
  },
  {
    program: 'n8n',
    source: `${n8n}/image/edit.operation.ts`,
    what: 'a picture changed',
    method: 'POST',
    path: '/images/edits',
    form: [
      ['image[]', picture],
      ['prompt', prompt],
      ['model', 'gpt-image-1'],
      ['n', '1'],
      ['size', '1024x1024'],
      ['user', 'ada'],
      ['background', 'opaque'],
      ['input_fidelity', 'low'],
      ['output_format', 'png'],
      ['output_compression', '100'],
      ['quality', 'auto'],
    ],
  },
];

/**
 * Requests of chats. LibreChat gives up after twelve seconds. It reads `choices[0].message.images[0].image_url.url`,
 * which must be a data URL.
 */
export const chatRequests: readonly ProgramRequest[] = [
  {
    ...libreChatOpenRouter,
    what: 'a picture of a model that it writes by itself',
    method: 'POST',
    path: '/chat/completions',
    headers: { 'http-referer': 'https://librechat.ai' },
    json: {
      model: 'openai/gpt-5-image',
      messages: [{ role: 'user', content: prompt }],
      modalities: ['image', 'text'],
    },
  },
  {
    ...libreChatOpenRouter,
    what: 'a picture of a ratio',
    method: 'POST',
    path: '/chat/completions',
    headers: { 'http-referer': 'https://librechat.ai' },
    json: {
      model: 'google/gemini-2.5-flash-image',
      messages: [{ role: 'user', content: prompt }],
      modalities: ['image', 'text'],
      image_config: { aspect_ratio: '21:9' },
    },
  },
];

/**
 * n8n then polls every ten seconds until `status` is `completed` or `error` is set, and reads the content as a stream.
 */
export const n8nVideo: ProgramRequest = {
  program: 'n8n',
  source: `${n8n}/video/generate.operation.ts`,
  what: 'a video',
  method: 'POST',
  path: '/videos',
  form: [
    ['model', 'sora-2'],
    ['prompt', prompt],
    ['seconds', '3'],
    ['size', '1280x720'],
    ['input_reference', picture],
  ],
};

/**
 * Requests of A1111's API. All programs read `images[0]`; Open WebUI also `info`, LibreChat the last line of its first
 * infotext.
 */
export const a1111Requests: readonly ProgramRequest[] = [
  {
    ...openWebUi,
    what: 'a picture',
    method: 'POST',
    path: '/sdapi/v1/txt2img',
    json: { prompt, batch_size: 1, width: 512, height: 512, steps: 50, negative_prompt: 'fog' },
  },
  {
    program: 'LibreChat',
    source: 'api/app/clients/tools/structured/StableDiffusion.js',
    what: 'a picture',
    method: 'POST',
    path: '/sdapi/v1/txt2img',
    json: { prompt, negative_prompt: 'fog', cfg_scale: 4.5, steps: 22, width: 1024, height: 1024 },
  },
  {
    ...sillyTavern,
    what: 'a picture with all of its settings, its own among them',
    method: 'POST',
    path: '/sdapi/v1/txt2img',
    json: {
      url: 'http://127.0.0.1:8787',
      auth: 'x:a key',
      prompt,
      negative_prompt: 'fog',
      sampler_name: 'Automatic',
      scheduler: 'Automatic',
      steps: 20,
      cfg_scale: 7,
      width: 1216,
      height: 684,
      restore_faces: false,
      enable_hr: false,
      denoising_strength: 0.7,
      seed: -1,
      override_settings: { CLIP_stop_at_last_layers: 1 },
      override_settings_restore_afterwards: true,
      clip_skip: 1,
      save_images: true,
      send_images: true,
      do_not_save_grid: false,
    },
  },
];
