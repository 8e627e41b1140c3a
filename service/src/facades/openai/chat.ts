import { progressStages } from '@renderkit/contract/v1/progress.ts';
import type { Generation, Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Progress } from '@renderkit/contract/v1/schemas/progress.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { indexOf } from '../../catalog/catalog-index.ts';
import type { OnLiveEvent } from '../../generations/live/live-generations.ts';
import type { Admitted } from '../../identity/admission/admit.ts';
import { translated } from '../../studio-client/translate-error.ts';
import { FacadeExchange, type Presentation } from '../facade-exchange.ts';
import type { chatFields, FieldsOf } from '../field-tables.ts';
import { eventsForm, type HeldAnswer, jsonForm } from '../kept-alive-answer.ts';
import { formatOf, type OutputMedia } from '../output-media.ts';
import { takeImage } from '../take-image.ts';
import { type ChatRequest, readChatRequest, readLastMessage } from './chat-request.ts';
import { errorOfGeneration, errorOfProblem } from './errors.ts';
import { addressOf, createdAt, type ImagesOptions } from './images.ts';

const bodyBytes = 32 * 1024 * 1024;
const maxTitleCharacters = 80;
const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/**
 * `POST /chat/completions` of OpenAI's API, answered with pictures: as links in Markdown, which every chat shows, and
 * as data URLs in `images`, which programs with support for pictures read.
 */
export function createChat(options: ImagesOptions) {
  const { media, storeFile } = options;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const accountId = (request.admitted as Admitted).principal.account.id;
    const { fields: given } = await options.readRequest(request, reply, accountId, {
      limitBytes: bodyBytes,
      fileFields: [],
      isMaskOfAlpha: () => false,
    });
    const fields: FieldsOf<typeof chatFields> = given;
    const last = readLastMessage(fields.messages);
    const { catalog } = await translated(options.catalogCache.get(accountId));
    const taking = { accountId, media, storeFile, field: 'messages' };
    const pictures = last.pictures.map((picture) => takeImage(addressOf(picture), taking));
    const asked = readChatRequest(indexOf(catalog), given, { text: last.text, pictures });
    // Not awaited, so that this function does not keep the request's body in memory while the answer is held.
    return new FacadeExchange(options, { request, reply }, asked, presentChat(media, asked)).run();
  };
}

function presentChat(media: OutputMedia, asked: ChatRequest): Presentation {
  return {
    form: asked.stream ? eventsForm((body) => `data: ${JSON.stringify(body)}\n\n`) : jsonForm,
    problem: errorOfProblem,
    failure: errorOfGeneration,
    ...(asked.stream ? { live: sendProgress } : {}),
    outputs: (answer, ends, outputs) =>
      answer.send(
        asked.stream
          ? chunksOf(media, asked, { ends, outputs })
          : completionOf(media, asked, { ends, outputs }),
      ),
  };
}

type Made = { ends: readonly Generation[]; outputs: readonly Output[] };

async function* completionOf(
  media: OutputMedia,
  asked: ChatRequest,
  made: Made,
): AsyncGenerator<string, void> {
  const [first] = made.ends;
  const head = {
    id: first?.id,
    object: 'chat.completion',
    created: createdAt(made.ends),
    model: first?.model,
    usage,
  };
  const message = { role: 'assistant', content: markdownOf(media, asked, made.outputs) };
  yield `${JSON.stringify(head).slice(0, -1)},"choices":[{"index":0,"finish_reason":"stop","message":`;
  yield `${JSON.stringify(message).slice(0, -1)},"images":`;
  yield* dataUrls(media, made.outputs);
  yield '}}]}';
}

/** Yields the chunks of a stream: links first, so that the user sees something while the bytes arrive. */
async function* chunksOf(media: OutputMedia, asked: ChatRequest, made: Made): AsyncGenerator<string, void> {
  const [first] = made.ends;
  const head = chunkHead(first);
  yield chunk(head, { role: 'assistant', content: markdownOf(media, asked, made.outputs) });
  yield `data: ${head}"choices":[{"index":0,"finish_reason":null,"delta":{"images":`;
  yield* dataUrls(media, made.outputs);
  yield '}}]}\n\n';
  yield chunk(head, {}, 'stop');
  if (asked.withUsage) yield `data: ${head}"choices":[],"usage":${JSON.stringify(usage)}}\n\n`;
  yield 'data: [DONE]\n\n';
}

function chunkHead(generation: Generation | undefined): string {
  const head = {
    id: generation?.id,
    object: 'chat.completion.chunk',
    created: createdAt(generation === undefined ? [] : [generation]),
    model: generation?.model,
  };
  return `${JSON.stringify(head).slice(0, -1)},`;
}

function chunk(head: string, delta: object, finish: 'stop' | null = null): string {
  return `data: ${head}"choices":${JSON.stringify([{ index: 0, delta, finish_reason: finish }])}}\n\n`;
}

/** Writes while it reads, so that only one chunk of a picture is in memory. */
async function* dataUrls(media: OutputMedia, outputs: readonly Output[]): AsyncGenerator<string, void> {
  yield '[';
  for (const [index, { url }] of outputs.entries()) {
    const start = `{"index":${index},"type":"image_url","image_url":{"url":"data:image/${formatOf(url)};base64,`;
    yield index === 0 ? start : `,${start}`;
    yield* media.base64(url);
    yield '"}}';
  }
  yield ']';
}

function markdownOf(media: OutputMedia, { prompt }: ChatRequest, outputs: readonly Output[]): string {
  // Removes characters that would end the text of a link early.
  const title = prompt
    .replaceAll(/[\s[\]()\\<>]+/g, ' ')
    .slice(0, maxTitleCharacters)
    .trim();
  return outputs.map(({ url }) => `![${title}](${media.urlOf(url)})`).join('\n\n');
}

/** Sends a line for each change; programs show these lines as the model's reasoning. */
function sendProgress(answer: HeldAnswer, generation: Generation): OnLiveEvent {
  const head = chunkHead(generation);
  let shown = '';
  return (event, text) => {
    if (event !== 'progress') return;
    const line = sentenceOf(JSON.parse(text) as Progress);
    if (line === undefined || line === shown) return;
    shown = line;
    answer.sendAhead(chunk(head, { role: 'assistant', reasoning_content: `${line}\n` }));
  };
}

function sentenceOf({ stage, queue }: Progress): string | undefined {
  if (stage === 'done') return undefined;
  return queue?.position == null ? progressStages[stage] : `It is number ${queue.position} in the queue.`;
}
