import type { EstimateParams } from 'renderkit';
import { z } from 'zod';
import { defineTool, ToolRefusal } from '../tool.ts';
import { generationSchema, waitSeconds } from './generation.ts';
import { needsConfirmation, purchase } from './purchase.ts';

// The API defines the maximum lengths of texts and lists, for each model (`contract/studio/validate.ts`).
const text = z.string();
/** An object with any members, in a schema that every client can read. */
const anything = z.record(text, z.any()).meta({ additionalProperties: true, propertyNames: undefined });

const imageFields = {
  prompt: text.optional(),
  model: text.optional().describe('Id; else the default'),
  aspect_ratio: text.optional(),
  image: text.optional().describe('What to change: id of an upload or output, or https address'),
  mask: text.optional().describe('Upload id of a PNG; only what is white changes'),
  strength: z.number().min(0).max(1).optional(),
  reference_images: z.array(text).optional(),
  styles: z.array(text).optional(),
  options: anything.optional(),
  project_id: text.optional(),
};

const videoFields = {
  prompt: imageFields.prompt,
  model: imageFields.model,
  aspect_ratio: imageFields.aspect_ratio,
  duration: z.number().optional().describe('Seconds; one of the model'),
  start_image: text.optional().describe('First frame'),
  end_image: text.optional(),
  reference_images: imageFields.reference_images,
  reference_audios: z.array(text).optional(),
  source_video: text.optional(),
  extend_video_id: text
    .optional()
    .describe(
      'Output id of a video to go on with; then only prompt, duration, resolution, styles, project_id count',
    ),
  resolution: text.optional().describe('With extend_video_id'),
  styles: imageFields.styles,
  options: imageFields.options,
  project_id: imageFields.project_id,
};

const purchaseFields = {
  max_credits: z.number().min(0).describe('Refused, free of charge, where it costs more'),
  request_id: text.optional().describe('Same id: same generation, charged once'),
  confirm: z
    .string()
    .max(2_000)
    .optional()
    .describe('Token of confirmation_required, after the person agreed'),
};

const imageInput = z.strictObject(imageFields);
const videoInput = z.strictObject(videoFields);
type ImageFields = z.infer<typeof imageInput>;
type VideoFields = z.infer<typeof videoInput>;

/** Returns the API request for the fields of a tool. The request is an edit when its fields or `isEdit` say so. */
function imageRequest({ image, mask, strength, ...fields }: ImageFields, isEdit = false): EstimateParams {
  if (!isEdit && image === undefined && mask === undefined && strength === undefined)
    return { kind: 'image', ...fields };
  return {
    kind: 'image_edit',
    ...fields,
    // If the image is missing, the API reports it.
    image: image as string,
    ...(strength !== undefined && { strength }),
    ...(mask !== undefined && { mode: 'inpaint' as const, mask }),
  };
}

function videoRequest(
  { extend_video_id: videoId, resolution, ...fields }: VideoFields,
  isExtension = false,
): EstimateParams {
  if (!isExtension && videoId === undefined && resolution === undefined) return { kind: 'video', ...fields };
  return {
    kind: 'video_extend',
    ...fields,
    ...(resolution !== undefined && { resolution }),
    video_id: videoId as string,
  };
}

export const estimate = defineTool({
  name: 'estimate',
  title: 'Estimate',
  description: 'What a create_image or create_video would cost. Free; give its fields beside kind.',
  // The fields are not repeated here, because the definitions of all tools are in every context.
  input: z
    .looseObject({
      kind: z.enum(['image', 'image_edit', 'video', 'video_extend']),
      request: anything.optional().describe('The fields, where they cannot stand beside kind'),
    })
    .meta({ additionalProperties: true }),
  output: z.object({
    credits: z.number(),
    outputs: z.number(),
    model: z.string(),
    balance: z.number().nullable(),
    budget_left_today: z.number().nullable(),
    needs_confirmation: z.boolean(),
  }),
  annotations: { readOnlyHint: true },
  run: async ({ kind, request, ...fields }, { client }) => {
    const parsed = estimated(kind, { ...request, ...fields });
    if (!parsed.success)
      return new ToolRefusal('invalid_request', z.prettifyError(parsed.error), 'Correct these fields.');
    const [{ credits, outputs, model, balance }, key] = await Promise.all([
      client.estimate(parsed.data),
      client.account.key(),
    ]);
    const data = {
      credits,
      outputs,
      model,
      balance,
      budget_left_today: key.daily_budget?.left ?? null,
      needs_confirmation: needsConfirmation(credits, key),
    };
    const asks = data.needs_confirmation ? ' A person has to agree to it.' : '';
    return {
      text: `${credits} credits for ${outputs} of ${model}; the account has ${balance ?? 'unknown'}.${asks}`,
      data,
    };
  },
});

/** Returns the API request to estimate, validated against the fields of its create. */
function estimated(kind: EstimateParams['kind'], fields: Record<string, unknown>) {
  return kind === 'image' || kind === 'image_edit'
    ? imageInput
        .extend(ignored)
        .transform((given) => imageRequest(dropIgnored(given), kind === 'image_edit'))
        .safeParse(fields)
    : videoInput
        .extend(ignored)
        .transform((given) => videoRequest(dropIgnored(given), kind === 'video_extend'))
        .safeParse(fields);
}

/** Fields of a create that an estimate accepts and ignores. */
const ignored = {
  max_credits: z.unknown().optional(),
  request_id: z.unknown().optional(),
  confirm: z.unknown().optional(),
  wait_seconds: z.unknown().optional(),
};

function dropIgnored<Fields extends { [Name in keyof typeof ignored]?: unknown }>(fields: Fields) {
  const { max_credits: _max, request_id: _id, confirm: _token, wait_seconds: _wait, ...rest } = fields;
  return rest;
}

export const createImage = defineTool({
  name: 'create_image',
  title: 'Create images',
  description:
    'Makes images from a prompt, or changes one (image). One call is one generation of as many images as the model makes. Spends credits. Not for charts, diagrams or text layouts.',
  input: z.strictObject({ ...imageFields, ...purchaseFields, wait_seconds: waitSeconds(30) }),
  output: generationSchema,
  annotations: { readOnlyHint: false, destructiveHint: false },
  run: ({ max_credits, request_id, confirm, wait_seconds, ...fields }, call) =>
    purchase(
      { tool: 'create_image', fields, max_credits, request_id, confirm, wait_seconds },
      imageRequest(fields),
      call,
    ),
});

export const createVideo = defineTool({
  name: 'create_video',
  title: 'Create a video',
  description:
    'Makes a video from a prompt, pictures or a video, or goes on with one (extend_video_id). Spends credits, often many: estimate first. Takes minutes.',
  input: z.strictObject({ ...videoFields, ...purchaseFields, wait_seconds: waitSeconds(10) }),
  output: generationSchema,
  annotations: { readOnlyHint: false, destructiveHint: false },
  run: ({ max_credits, request_id, confirm, wait_seconds, ...fields }, call) =>
    purchase(
      { tool: 'create_video', fields, max_credits, request_id, confirm, wait_seconds },
      videoRequest(fields),
      call,
    ),
});
