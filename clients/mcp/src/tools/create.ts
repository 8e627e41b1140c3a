import { acceptedContent, inputRequired, type InputRequiredResult } from '@modelcontextprotocol/server';
import { createHash } from 'node:crypto';
import type { EstimateParams, Estimate, Generation, Key } from 'renderkit';
import { RenderkitError } from 'renderkit';
import { z } from 'zod';
import { defineTool, type Found, ToolRefusal, type ToolCall } from '../tool.ts';
import { generationSchema, type GenerationData, waitFor, waitSeconds } from './generation.ts';

// How long texts and lists may be is said by the API, for each model.
const text = z.string();
/** An object of anything, said as plainly as clients of every kind can read it. */
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

/** The request of the API that the fields of a tool stand for. */
function imageRequest({ image, mask, strength, ...fields }: ImageFields): EstimateParams {
  if (image === undefined && mask === undefined && strength === undefined)
    return { kind: 'image', ...fields };
  return {
    kind: 'image_edit',
    ...fields,
    // Without one the API says what is missing.
    image: image as string,
    ...(strength !== undefined && { strength }),
    ...(mask !== undefined && { mode: 'inpaint' as const, mask }),
  };
}

function videoRequest({ extend_video_id: videoId, resolution, ...fields }: VideoFields): EstimateParams {
  if (videoId === undefined && resolution === undefined) return { kind: 'video', ...fields };
  return {
    kind: 'video_extend',
    ...fields,
    ...(resolution !== undefined && { resolution }),
    video_id: videoId as string,
  };
}

/** Whether a person has to agree to a price: the key says from where on. */
function needsConfirmation(credits: number, { confirm_above: above }: Key): boolean {
  return above !== null && credits > above;
}

export const estimate = defineTool({
  name: 'estimate',
  title: 'Estimate',
  description: 'What a create_image or create_video would cost. Free; give the same fields.',
  input: z.strictObject({
    kind: z.enum(['image', 'video']),
    request: anything.describe('Fields of create_image or create_video'),
  }),
  output: z.object({
    credits: z.number(),
    outputs: z.number(),
    model: z.string(),
    balance: z.number().nullable(),
    budget_left_today: z.number().nullable(),
    needs_confirmation: z.boolean(),
  }),
  annotations: { readOnlyHint: true },
  run: async ({ kind, request }, { client }) => {
    const parsed =
      kind === 'image'
        ? imageInput.extend(ignored).transform(dropIgnored).safeParse(request)
        : videoInput.extend(ignored).transform(dropIgnored).safeParse(request);
    if (!parsed.success)
      return new ToolRefusal(
        'invalid_request',
        z.prettifyError(parsed.error),
        'Correct these fields of request.',
      );
    const params = kind === 'image' ? imageRequest(parsed.data) : videoRequest(parsed.data);
    const [{ credits, outputs, model, balance }, key] = await Promise.all([
      client.estimate(params),
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

/** A create may be estimated as it stands. */
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

type Asked = {
  tool: string;
  fields: object;
  max_credits: number;
  request_id: string | undefined;
  confirm: string | undefined;
  wait_seconds: number;
};

/**
 * One purchase at most: estimated first, refused above `max_credits`, agreed to by a person above the key's `confirm_above`,
 * and charged under a key that a repeated call has again.
 */
async function purchase(
  asked: Asked,
  params: EstimateParams,
  call: ToolCall,
): Promise<Found<GenerationData> | InputRequiredResult | ToolRefusal> {
  const { client } = call;
  const [price, key] = await Promise.all([client.estimate(params), client.account.key()]);
  if (price.credits > asked.max_credits) return tooExpensive(asked, price);
  const agreed = await agreement(asked, price, key, call);
  if (agreed instanceof ToolRefusal || 'resultType' in agreed) return agreed;
  const chosen =
    asked.request_id === undefined ? agreed.idempotencyKey : keyOfRequestId(asked.tool, asked.request_id);
  const made =
    chosen === undefined
      ? await createRepeatable(asked, params, call)
      : { generation: await create(params, call, chosen), repeated: false };
  const note = made.repeated
    ? 'This is the generation of an equal call whose answer was lost; nothing more was charged.'
    : '';
  return waitFor(call, made.generation, { seconds: asked.wait_seconds, note });
}

function tooExpensive({ max_credits }: Asked, { credits, model }: Estimate): ToolRefusal {
  return new ToolRefusal(
    'over_max_credits',
    `It would cost ${credits} credits with ${model}, and max_credits is ${max_credits}. Nothing was charged.`,
    'Ask the person whether that is worth it, then call again with a higher max_credits, or choose a cheaper model.',
    { credits },
  );
}

/** Names of the form that a person is shown. */
const question = 'confirm';
const agreementSchema = z.object({ approve: z.boolean() });

type Agreement = { idempotencyKey: string | undefined };

async function agreement(
  asked: Asked,
  { credits, model, outputs }: Estimate,
  key: Key,
  { confirmations, context, canAsk }: ToolCall,
): Promise<Agreement | InputRequiredResult | ToolRefusal> {
  if (!needsConfirmation(credits, key)) return { idempotencyKey: undefined };
  const wanted = { keyId: key.id, tool: asked.tool, arguments: asked.fields, credits };
  const { inputResponses, requestState } = context.mcpReq;
  const answered = inputResponses?.[question] !== undefined;
  const token = answered ? requestState<string>() : asked.confirm;
  if (answered && acceptedContent(inputResponses, question, agreementSchema)?.approve !== true)
    return new ToolRefusal(
      'declined',
      'The person did not agree. Nothing was charged.',
      'Do not try it again unless the person asks for it.',
    );
  const verified = token === undefined ? undefined : confirmations.verify(token, wanted);
  if (verified?.outcome === 'confirmed') return verified;
  const issued = confirmations.issue(wanted);
  const message = `${asked.tool} with ${model}: ${outputs} ${outputs === 1 ? 'output' : 'outputs'} for ${credits} credits. Spend them?`;
  if (canAsk && asked.confirm === undefined)
    return inputRequired({
      inputRequests: {
        [question]: inputRequired.elicit({
          message,
          requestedSchema: {
            type: 'object',
            properties: { approve: { type: 'boolean', title: `Spend ${credits} credits` } },
            required: ['approve'],
          },
        }),
      },
      requestState: issued,
    });
  const why = verified === undefined ? '' : ` The token ${verified.reason}.`;
  return new ToolRefusal(
    'confirmation_required',
    `It would cost ${credits} credits, and a person has to agree to that.${why} Nothing was charged.`,
    'Ask the person. If they agree, call again with the same arguments and this token as confirm, within ten minutes.',
    { credits, confirm: issued },
  );
}

function keyOfRequestId(tool: string, requestId: string): string {
  return `mcp-${createHash('sha256').update(`${tool}\n${requestId}`).digest('hex')}`;
}

async function createRepeatable(asked: Asked, params: EstimateParams, call: ToolCall) {
  const { tool, fields } = asked;
  const taken = await call.purchases.take({ tool, arguments: fields, signal: call.signal });
  try {
    const generation = await create(params, call, taken.idempotencyKey);
    await taken.end('created');
    return { generation, repeated: taken.repeated };
  } catch (error) {
    await taken.end(RenderkitError.is(error) && isRefusal(error) ? 'refused' : 'unknown');
    throw error;
  }
}

/** Told by the service, which then charged nothing. */
function isRefusal({ status }: { status: number | undefined }): boolean {
  return status !== undefined && status < 500;
}

/** Goes to its end though its caller may have gone: what becomes of it is then known. */
function create(params: EstimateParams, { client }: ToolCall, idempotencyKey: string): Promise<Generation> {
  const options = { idempotencyKey };
  switch (params.kind) {
    case 'image': {
      const { kind: _kind, ...request } = params;
      return client.images.create(request, options);
    }
    case 'image_edit': {
      const { kind: _kind, ...request } = params;
      return client.images.createEdit(request, options);
    }
    case 'video': {
      const { kind: _kind, ...request } = params;
      return client.videos.create(request, options);
    }
    case 'video_extend': {
      const { kind: _kind, ...request } = params;
      return client.videos.extend(request, options);
    }
  }
}
