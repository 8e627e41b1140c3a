import { acceptedContent, inputRequired, type InputRequiredResult } from '@modelcontextprotocol/server';
import { createHash } from 'node:crypto';
import type { Estimate, EstimateParams, Generation, Key } from 'renderkit';
import { RenderkitError } from 'renderkit';
import { z } from 'zod';
import { type Found, type ToolCall, ToolRefusal } from '../tool.ts';
import { type GenerationData, waitFor } from './generation.ts';

/**
 * Returns whether a person must agree to a price. The key defines the limit. `checkPrice` in `clients/cli/src/price.ts`
 * has this rule for the command line.
 */
export function needsConfirmation(credits: number, { confirm_above: above }: Key): boolean {
  return above !== null && credits > above;
}

type Asked = {
  tool: string;
  fields: object;
  max_credits: number;
  request_id: string | undefined;
  confirm: string | undefined;
  wait_seconds: number;
};

/**
 * Makes at most one purchase. The price is estimated first and refused above `max_credits`. A person must agree above
 * the key's `confirm_above`. A repeated call is charged under the same idempotency key.
 */
export async function purchase(
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
  const maxCredits = Math.min(asked.max_credits, agreedCredits(price, key));
  let made: { generation: Generation; repeated: boolean };
  try {
    made =
      chosen === undefined
        ? await createRepeatable(asked, params, maxCredits, call)
        : { generation: await create(params, call, { idempotencyKey: chosen, maxCredits }), repeated: false };
  } catch (error) {
    const dearer = RenderkitError.is(error) && error.code === 'budget_exceeded';
    const now = dearer ? await client.estimate(params) : price;
    if (now.credits <= maxCredits) throw error;
    return now.credits > asked.max_credits ? tooExpensive(asked, now) : priceRisen(now);
  }
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

/**
 * Returns the highest price that needs no further question: the price that a person agreed to, else the key's
 * `confirm_above`.
 */
function agreedCredits({ credits }: Estimate, key: Key): number {
  return needsConfirmation(credits, key) ? credits : (key.confirm_above ?? Infinity);
}

/** Refuses a create whose price rose after the estimate, so that a person must agree to the new price. */
function priceRisen({ credits, model }: Estimate): ToolRefusal {
  return new ToolRefusal(
    'price_changed',
    `The price has just risen: it would cost ${credits} credits with ${model}. Nothing was charged.`,
    'Call again with the same arguments and without confirm: a person has to agree to this price.',
    { credits },
  );
}

/** Key of the question in the form that a person sees. */
const question = 'confirm';
const agreementSchema = z.object({ approve: z.boolean() });

type Agreement = { idempotencyKey: string | undefined };

async function agreement(
  asked: Asked,
  { credits, model, outputs }: Estimate,
  key: Key,
  { confirmationTokens, context, canAsk }: ToolCall,
): Promise<Agreement | InputRequiredResult | ToolRefusal> {
  if (!needsConfirmation(credits, key)) return { idempotencyKey: undefined };
  // Each request_id is a separate purchase. Without it here, the same token could buy again under another request_id.
  const given = { ...asked.fields, request_id: asked.request_id };
  const wanted = { keyId: key.id, tool: asked.tool, arguments: given, credits };
  const { inputResponses, requestState } = context.mcpReq;
  const answered = inputResponses?.[question] !== undefined;
  const token = answered ? requestState<string>() : asked.confirm;
  if (answered && acceptedContent(inputResponses, question, agreementSchema)?.approve !== true)
    return new ToolRefusal(
      'declined',
      'The person did not agree. Nothing was charged.',
      'Do not try it again unless the person asks for it.',
    );
  const verified = token === undefined ? undefined : confirmationTokens.verify(token, wanted);
  if (verified?.outcome === 'confirmed') return verified;
  const issued = confirmationTokens.issue(wanted);
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
    'Ask the person. If they agree, call again with the same arguments, request_id among them, and this token as confirm, within ten minutes.',
    { credits, confirm: issued },
  );
}

function keyOfRequestId(tool: string, requestId: string): string {
  return `mcp-${createHash('sha256').update(`${tool}\n${requestId}`).digest('hex')}`;
}

/**
 * `call.purchases` is `clients/mcp/src/local-purchases.ts` for stdio, and `service/src/mcp/exchange-purchases.ts` for
 * `/mcp`.
 */
async function createRepeatable(asked: Asked, params: EstimateParams, maxCredits: number, call: ToolCall) {
  const { tool, fields } = asked;
  const taken = await call.purchases.take({ tool, arguments: fields, signal: call.signal });
  try {
    const { idempotencyKey } = taken;
    const generation = await create(params, call, { idempotencyKey, maxCredits });
    await taken.end('created');
    return { generation, repeated: taken.repeated };
  } catch (error) {
    await taken.end(RenderkitError.is(error) && isRefusal(error) ? 'refused' : 'unknown');
    throw error;
  }
}

/** Returns whether the service refused the create, so that nothing was charged. */
function isRefusal({ status }: { status: number | undefined }): boolean {
  return status !== undefined && status < 500;
}

/** Sends the create. Not aborted when the caller disconnects, so that its outcome is known. */
function create(
  params: EstimateParams,
  { client }: ToolCall,
  options: { idempotencyKey: string; maxCredits: number },
): Promise<Generation> {
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
