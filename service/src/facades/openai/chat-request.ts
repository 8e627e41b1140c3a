import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { CatalogIndex } from '../../catalog/catalog-index.ts';
import { chooseModel, describeOtherSuite } from '../choose-model.ts';
import type { Asked } from '../facade-exchange.ts';
import { askedFor, chatFields, type FieldsOf, ignoredOf, titleTokens } from '../field-tables.ts';
import { mapOwnFields } from '../own-fields.ts';
import { planCreates } from '../plan-creates.ts';
import type { TakenImage } from '../take-image.ts';
import { openAiRefusal } from './errors.ts';
import { chooseSize, countOf, promptOf, sentence } from './image-request.ts';

/** The text and the pictures of a conversation's last message. Earlier pictures are not used. */
export type LastMessage = { text: string; pictures: unknown[] };

/** A request for a message with pictures, and the form of its answer. */
export type ChatRequest = Asked & {
  prompt: string;
  stream: boolean;
  /** The stream ends with the usage. */
  withUsage: boolean;
};

const neverCounts = ignoredOf(chatFields);

/** Reads the last message of the user. @throws OpenAiRefusal where it is empty or missing */
export function readLastMessage(messages: unknown): LastMessage {
  const all = Array.isArray(messages) ? (messages as unknown[]) : [];
  const last = all.findLast(
    (message): message is { content: unknown } =>
      typeof message === 'object' && message !== null && (message as { role?: unknown }).role === 'user',
  );
  if (last === undefined)
    throw openAiRefusal(400, 'missing_required_parameter', 'A message of the user is required.', 'messages');
  const parts = typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : last.content;
  const texts: string[] = [];
  const pictures: unknown[] = [];
  for (const part of Array.isArray(parts) ? (parts as unknown[]) : []) {
    if (typeof part !== 'object' || part === null) continue;
    const { type, text } = part as { type?: unknown; text?: unknown };
    if (type === 'image_url') pictures.push(part);
    else if (type === 'text' && typeof text === 'string') texts.push(text);
  }
  return { text: texts.join('\n').trim(), pictures };
}

/**
 * Maps a request for a completion: the last message describes the picture to make, or the changes to its pictures.
 * @throws OpenAiRefusal
 */
export function readChatRequest(
  index: CatalogIndex,
  given: Record<string, unknown>,
  { text, pictures }: { text: string; pictures: readonly TakenImage[] },
): ChatRequest {
  const fields: FieldsOf<typeof chatFields> = given;
  const { model, named } = drawingModel(index, fields, pictures.length);
  const prompt = promptOf(text, 'messages') ?? '';
  if (prompt === '')
    throw openAiRefusal(400, 'missing_required_parameter', 'The last message says nothing.', 'messages');
  const { body, ignored } = mapOwnFields(fields, model);
  body['prompt'] = prompt;
  if (named) body['model'] = model.id;
  const kind = pictures.length > 0 && model.suites.includes('edit') ? 'image_edit' : 'image';
  const references = pictures.map(({ reference }) => reference);
  if (kind === 'image_edit') body['image'] = references.shift();
  if (references.length > 0) body['reference_images'] = references;
  const size = chooseSize({ size: fields.size ?? ratioOf(fields.image_config) }, model, body, ignored);
  ignored.push(...neverCounts.filter((name) => fields[name] !== undefined));
  const outputs = countOf(fields.n);
  return {
    route: 'openai.chat.completions',
    wanted: planCreates(kind, model, body, outputs),
    outputs,
    size,
    prompt,
    stream: fields.stream === true,
    withUsage: (fields.stream_options as { include_usage?: unknown } | undefined)?.include_usage === true,
    ignored,
    identity: {
      ...askedFor(chatFields, given),
      messages: undefined,
      prompt,
      pictures: pictures.map(({ identity }) => identity),
    },
    pictures,
  };
}

/**
 * Chooses the model. The client must name one: if a program means a text model, a picture would be bought for nothing.
 */
function drawingModel(
  index: CatalogIndex,
  fields: FieldsOf<typeof chatFields>,
  pictures: number,
): { model: StudioModel; named: boolean } {
  const name = fields.model;
  if (typeof name !== 'string' || name === '')
    throw openAiRefusal(400, 'missing_required_parameter', 'model is required.', 'model');
  const chosen = chooseModel(index, pictures > 0 ? 'edit' : 'image', name);
  if ('unknown' in chosen) throw openAiRefusal(404, 'model_not_found', sentence(chosen.unknown), 'model');
  const { model } = chosen;
  const tokens = fields.max_completion_tokens ?? fields.max_tokens;
  if (typeof tokens === 'number' && tokens <= titleTokens)
    throw openAiRefusal(
      400,
      'invalid_value',
      `${model.id} makes pictures: for so short a text take a model that writes.`,
      'max_tokens',
    );
  const suite = pictures > 0 && model.suites.includes('edit') ? 'edit' : 'image';
  if (!model.suites.includes(suite))
    throw openAiRefusal(400, 'invalid_value', sentence(describeOtherSuite(model, index, suite)), 'model');
  const takes = model.suites.includes('edit')
    ? model.parameters.max_reference_images + 1
    : model.parameters.max_reference_images;
  if (pictures > takes)
    throw openAiRefusal(
      400,
      'invalid_value',
      takes === 0
        ? `The model ${model.id} takes no pictures.`
        : `The model ${model.id} takes ${takes} pictures.`,
      'messages',
    );
  return chosen;
}

/** Returns `image_config.aspect_ratio`, such as `16:9`, as a size of that shape. */
function ratioOf(config: unknown): string | undefined {
  const ratio = (config as { aspect_ratio?: unknown } | null | undefined)?.aspect_ratio;
  return typeof ratio === 'string' && /^\d{1,3}:\d{1,3}$/.test(ratio) ? ratio.replace(':', 'x') : undefined;
}
