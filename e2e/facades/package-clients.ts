// The official packages for OpenAI's API, called as their users do: only a base URL and a key are set.

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateImage, type ImageModel, RetryError } from 'ai';
import OpenAI, { toFile } from 'openai';

export type Settings = { baseURL: string; apiKey: string };

/** What a program requests. */
export type Wish = {
  prompt?: string;
  model: string;
  /** Options of the model: our own field, sent in the way that each package offers for extra fields. */
  options?: Record<string, number>;
  n?: number;
  /** A PNG to edit. */
  image?: Uint8Array;
  /** The package's setting; by default the package's own default. */
  maxRetries?: number;
};

/** An error as the user sees it; without a status when no answer came. */
export type Seen = { type: string; status: number | undefined; code: unknown; message: string };

export type OnAnswer = (answer: Response) => void;

export type PackageClient = {
  name: string;
  /** `onAnswer` gets a copy of each answer as soon as it begins. */
  draw: (settings: Settings, wish: Wish, onAnswer?: OnAnswer) => Promise<Uint8Array[]>;
  seen: (error: unknown) => Seen;
  /** Names of its errors by status; `other` for statuses without an own error. */
  errors: { [status: number]: string; other: string };
  /** The error for an answer that was cut after it had begun. */
  cut: Pick<Seen, 'type' | 'status' | 'message'>;
  /** Whether it repeats a request whose answer was cut in this way. */
  repeatsWhatWasCut: boolean;
  /** Whether it sends a header when it repeats a request. */
  saysThatItRepeats: boolean;
  /** How often it sends a request that fails permanently. */
  triesOfFailed: number;
};

const prompt = 'a lighthouse above a calm sea';

/** Makes a `fetch` that reports each answer as soon as it begins. */
const watched =
  (onAnswer: OnAnswer | undefined): typeof fetch =>
  async (...request) => {
    const answer = await fetch(...request);
    onAnswer?.(answer.clone());
    return answer;
  };

/** Makes a `fetch` that adds fields to JSON, for a package that sends only OpenAI's fields. */
const adding =
  (fields: object, send: typeof fetch): typeof fetch =>
  (url, init) => {
    if (typeof init?.body !== 'string') return send(url, init);
    return send(url, { ...init, body: JSON.stringify({ ...(JSON.parse(init.body) as object), ...fields }) });
  };

const openai: PackageClient = {
  name: 'openai',
  draw: async (settings, { maxRetries, image, ...wish }, onAnswer) => {
    const client = new OpenAI({
      ...settings,
      fetch: watched(onAnswer),
      ...(maxRetries === undefined ? {} : { maxRetries }),
    });
    const body = { prompt, ...wish };
    const { data = [] } =
      image === undefined
        ? await client.images.generate(body)
        : await client.images.edit({ ...body, image: await toFile(image, 'image.png') });
    return data.map(({ b64_json: encoded = '' }) => Buffer.from(encoded, 'base64'));
  },
  seen: (error) => {
    if (!(error instanceof OpenAI.APIError)) return unknownError(error);
    const { status, code, message } = error as { status?: number; code?: unknown; message: string };
    return { type: error.constructor.name, status, code, message };
  },
  errors: {
    400: 'BadRequestError',
    401: 'AuthenticationError',
    404: 'NotFoundError',
    429: 'RateLimitError',
    500: 'InternalServerError',
    other: 'APIError',
  },
  cut: { type: 'TypeError', status: undefined, message: 'TypeError: terminated' },
  repeatsWhatWasCut: false,
  saysThatItRepeats: true,
  triesOfFailed: 1,
};

type Provider = {
  name: string;
  /** Makes a model whose requests contain these fields too. */
  modelOf: (settings: Settings, model: { id: string; fields: object; send: typeof fetch }) => ImageModel;
  /** The key under which the package itself accepts such fields. */
  fieldsKey?: string;
};

function aiSdk({ name, modelOf, fieldsKey }: Provider): PackageClient {
  return {
    name: `ai with ${name}`,
    draw: async (settings, { model: id, options, n, image, maxRetries, ...wish }, onAnswer) => {
      const fields: Record<string, Record<string, number>> = options === undefined ? {} : { options };
      const { images } = await generateImage({
        model: modelOf(settings, { id, fields, send: watched(onAnswer) }),
        prompt: image === undefined ? (wish.prompt ?? prompt) : { images: [image], text: prompt },
        ...(n === undefined ? {} : { n }),
        ...(maxRetries === undefined ? {} : { maxRetries }),
        ...(fieldsKey === undefined ? {} : { providerOptions: { [fieldsKey]: fields } }),
      });
      return images.map(({ uint8Array }) => uint8Array);
    },
    seen: (error) => {
      const last: unknown = RetryError.isInstance(error) ? error.lastError : error;
      if (!APICallError.isInstance(last)) return unknownError(error);
      const { error: told } = (last.data ?? {}) as { error?: { code?: unknown } };
      return {
        type: (error as Error).name,
        status: last.statusCode,
        code: told?.code,
        message: (error as Error).message,
      };
    },
    errors: { 500: 'AI_RetryError', other: 'AI_APICallError' },
    cut: { type: 'AI_APICallError', status: 200, message: 'Failed to process successful response' },
    repeatsWhatWasCut: true,
    saysThatItRepeats: false,
    // It retries every answer of 500 and above, whatever the headers say.
    triesOfFailed: 3,
  };
}

const unknownError = (error: unknown): Seen => ({
  type: error instanceof Error ? error.name : typeof error,
  status: undefined,
  code: undefined,
  message: String(error),
});

export const packageClients: readonly PackageClient[] = [
  openai,
  aiSdk({
    name: '@ai-sdk/openai',
    modelOf: (settings, { id, fields, send }) =>
      createOpenAI({ ...settings, fetch: adding(fields, send) }).image(id),
  }),
  aiSdk({
    name: '@ai-sdk/openai-compatible',
    modelOf: (settings, { id, send }) =>
      createOpenAICompatible({ name: 'renderkit', ...settings, fetch: send }).imageModel(id),
    fieldsKey: 'renderkit',
  }),
];
