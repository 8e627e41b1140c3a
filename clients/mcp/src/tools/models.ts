import type { Model } from 'renderkit';
import { RenderkitError } from 'renderkit';
import { modelSchema, ratiosOf } from 'renderkit/model-schema';
import { z } from 'zod';
import { defineTool } from '../tool.ts';

const suite = z.enum(['image', 'edit', 'video', 'extend']);
const text = z.string();

export const listModels = defineTool({
  name: 'list_models',
  title: 'List models',
  description:
    'Models of the plan: what they make and take. Without model, a create uses the one of default_for.',
  input: z.strictObject({
    suite: suite.optional(),
    search: text.max(100).optional(),
    limit: z.number().int().min(1).max(100).default(20),
  }),
  output: z.object({
    models: z.array(
      z.object({
        id: text,
        name: text,
        suites: z.array(text),
        default_for: z.array(text),
        ratios: z.array(text),
        takes: z.array(text),
        about: text.nullable(),
      }),
    ),
    more: z.boolean(),
  }),
  annotations: { readOnlyHint: true },
  run: async ({ suite: wanted, search, limit }, { client }) => {
    const page = await client.models.list({ suite: wanted, search, page: 1, limit });
    const models = page.data.map((model) => ({
      id: model.id,
      name: model.name,
      suites: model.suites,
      default_for: model.default_for,
      ratios: ratiosOf(model),
      takes: takenBy(model),
      about: model.description,
    }));
    const lines = models.map(
      ({ id, suites, about }) => `- ${id} (${suites.join(', ')})${about === null ? '' : `: ${about}`}`,
    );
    return {
      text: [`${models.length} models${page.hasNextPage() ? ', and more' : ''}`, ...lines].join('\n'),
      data: { models, more: page.hasNextPage() },
    };
  },
});

function takenBy({ parameters, inpaint }: Model): string[] {
  const { max_reference_images: references, frames, audio, source_video: video } = parameters;
  return [
    ...(references > 0 ? [`reference_images: ${references}`] : []),
    ...(inpaint ? ['mask'] : []),
    ...(frames.start ? [frames.start_required ? 'start_image (required)' : 'start_image'] : []),
    ...(frames.end ? [frames.end_required ? 'end_image (required)' : 'end_image'] : []),
    ...(audio === null ? [] : [`reference_audios: ${audio.max_quantity}`]),
    ...(video === null ? [] : ['source_video']),
  ];
}

export const getModel = defineTool({
  name: 'get_model',
  title: 'Show a model',
  description:
    'What one model takes, as a JSON Schema of the fields of create_image or create_video that depend on it.',
  input: z.strictObject({ id: text.min(1).max(200) }),
  output: z.object({
    id: text,
    name: text,
    suites: z.array(text),
    input_schema: z.record(text, z.unknown()),
    outputs: z.record(text, z.number()),
    credits_from: z.number().nullable(),
  }),
  annotations: { readOnlyHint: true },
  run: async ({ id }, { client }) => {
    const model = await client.models.retrieve(id);
    const kind = model.suites.includes('image') ? 'image' : 'video';
    // A model that needs a picture has no price without one.
    const price = await client
      .estimate({ kind, model: id, prompt: 'a lighthouse' })
      .catch((error: unknown) => {
        if (RenderkitError.is(error) && error.status !== undefined && error.status < 500) return undefined;
        throw error;
      });
    const data = {
      id: model.id,
      name: model.name,
      suites: model.suites,
      input_schema: modelSchema(model),
      outputs: model.batch_size,
      credits_from: price?.credits ?? null,
    };
    const cost = price === undefined ? '' : ` As it is, one costs ${price.credits} credits.`;
    return {
      text: `${model.name} (${id}) for ${model.suites.join(', ')}.${cost} ${JSON.stringify(data.input_schema)}`,
      data,
    };
  },
});
