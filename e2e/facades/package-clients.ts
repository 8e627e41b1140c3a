// The official packages for OpenAI's API, each as a program of its users calls it: a base URL and a key are all that is set.

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateImage, type ImageModel, RetryError } from 'ai';
import OpenAI, { toFile } from 'openai';

export type Settings = { baseURL: string; apiKey: string };

/** What a program asks for. */
export type Wish = {
  prompt?: string;
  model: string;
  /** Of the model: our own field, by the way that each package has for such. */
  options?: Record<string, number>;
  n?: number;
  /** A PNG that is to be changed. */
  image?: Uint8Array;
  /** Of the package itself; left out: its own default. */
  maxRetries?: number;
};

/** A failure as its user sees it; without a status where no answer came. */
export type Seen = { type: string; status: number | undefined; code: unknown; message: string };

export type OnAnswer = (answer: Response) => void;

export type PackageClient = {
  name: string;
  /** `onAnswer` gets a copy of each answer as soon as it begins. */
  draw: (settings: Settings, wish: Wish, onAnswer?: OnAnswer) => Promise<Uint8Array[]>;
  seen: (error: unknown) => Seen;
  /** Names of its errors by status; those that have none of their own are `other`. */
  errors: { [status: number]: string; other: string };
  /** Of an answer that was cut after it had begun. */
  cut: Pick<Seen, 'type' | 'status' | 'message'>;
  /** Repeats a request whose answer was cut so. */
  repeatsWhatWasCut: boolean;
  /** Says with a header that it repeats a request. */
  saysThatItRepeats: boolean;
  /** How often it asks for what has failed for good. */
  triesOfFailed: number;
};

const prompt = 'a lighthouse above a calm sea';

/** `fetch`, which shows each answer as soon as it begins. */
const watched =
  (onAnswer: OnAnswer | undefined): typeof fetch =>
  async (...request) => {
    const answer = await fetch(...request);
    onAnswer?.(answer.clone());
    return answer;
  };

/** `fetch` that adds fields to JSON: the way for a package that sends no other fields than OpenAI's. */
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
  /** A model whose requests have these fields too. */
  modelOf: (settings: Settings, model: { id: string; fields: object; send: typeof fetch }) => ImageModel;
  /** Where the package itself takes such fields. */
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
    // It takes every answer of 500 and above for one to repeat, whatever the headers say.
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
