import type { ResourceLink } from '@modelcontextprotocol/server';
import type { Generation, Progress, Renderkit } from 'renderkit';
import { RenderkitError } from 'renderkit';
import { z } from 'zod';
import { defineTool, type Found, type ToolCall } from '../tool.ts';

/** MCP clients give up a call after 60 seconds. */
const maxWaitSeconds = 45;
/** Interval of progress messages. Clients that expect progress treat a call without any as dead. */
const reportMs = 8_000;

export const waitSeconds = (seconds: number) =>
  z.number().int().min(0).max(maxWaitSeconds).default(seconds).describe('How long to wait for the end');

const text = z.string();
const number = z.number();

export const generationSchema = z.object({
  id: text,
  status: z.enum(['queued', 'running', 'succeeded', 'failed', 'canceled']),
  kind: text,
  model: text,
  credits: number.nullable(),
  /** The following fields are set while the generation is in progress, if they are known. */
  stage: text.optional(),
  fraction: number.optional(),
  queue_position: number.optional(),
  queue_reason: text.optional(),
  finishes_in_seconds: z.array(number).optional(),
  outputs: z.array(
    z.object({
      id: text,
      type: text,
      url: text,
      thumb_url: text.optional(),
      width: number.optional(),
      height: number.optional(),
      duration: number.optional(),
    }),
  ),
  error: z.object({ code: text, message: text }).optional(),
  next: text,
});

export type GenerationData = z.infer<typeof generationSchema>;

/** Returns a generation as tools show it: its current state and the next step. `note` precedes the text. */
export function foundGeneration(
  generation: Generation,
  progress: Progress | undefined,
  note = '',
): Found<GenerationData> {
  const { id, status, kind, model, cost, error } = generation;
  const outputs = generation.outputs.map((output) => ({
    id: output.id,
    type: output.type,
    url: output.url,
    thumb_url: output.thumb_url ?? undefined,
    width: output.width ?? undefined,
    height: output.height ?? undefined,
    duration: output.duration ?? undefined,
  }));
  const data: GenerationData = {
    id,
    status,
    kind,
    model,
    credits: cost.credits,
    ...(progress !== undefined && knownOf(progress)),
    outputs,
    error: error ?? undefined,
    next: nextStep(generation, progress),
  };
  const made = outputs.map((output) => `- ${output.id} (${output.type}): ${output.url}`);
  return {
    text: [note, `${sentenceOf(generation, progress)} ${data.next}`, ...made].filter(Boolean).join('\n'),
    data,
    content: outputs.map(linkTo),
  };
}

function knownOf({
  stage,
  fraction,
  queue,
  finishes_in_seconds: finishes,
}: Progress): Partial<GenerationData> {
  return {
    stage,
    fraction: fraction ?? undefined,
    queue_position: queue?.position ?? undefined,
    queue_reason: queue?.reason,
    finishes_in_seconds: finishes === null ? undefined : [finishes.low, finishes.high],
  };
}

function linkTo(item: { id: string; type: string; url: string }): ResourceLink {
  // No media type: an output may have several, and the link returns the right one.
  return { type: 'resource_link', uri: item.url, name: item.id, description: `The ${item.type} ${item.id}` };
}

function sentenceOf(
  { id, status, cost, outputs, error }: Generation,
  progress: Progress | undefined,
): string {
  const credits = cost.credits === null ? '' : ` for ${cost.credits} credits`;
  switch (status) {
    case 'succeeded':
      return `${id} succeeded: ${outputs.length} ${outputs.length === 1 ? 'output' : 'outputs'}${credits}.${
        error === null ? '' : ` ${error.message}`
      }`;
    case 'failed':
      return `${id} failed (${error?.code ?? 'unknown'}): ${error?.message ?? ''}`;
    case 'canceled':
      return `${id} was canceled.`;
    default:
      return `${id} is ${status}${progress === undefined ? '' : `, ${describe(progress)}`}${credits}.`;
  }
}

/** Returns a short text for a progress message. */
function describe({ stage, fraction, queue }: Progress): string {
  const share = fraction === null ? '' : ` ${Math.round(fraction * 100)} %`;
  const place = queue?.position === null || queue === null ? '' : ` (number ${queue.position} in the queue)`;
  return `${stage.replaceAll('_', ' ')}${share}${place}`;
}

const initialPollSeconds = 20;

function nextStep({ status, error }: Generation, progress: Progress | undefined): string {
  switch (status) {
    case 'succeeded':
      return 'Give the person the links; view_output shows you a picture.';
    case 'failed':
      return `${refundOf(error)}Tell the person, or change the request.`;
    case 'canceled':
      return 'It cost nothing.';
    default: {
      const seconds = Math.min(Math.ceil(progress?.finishes_in_seconds?.low ?? initialPollSeconds), 300);
      return `It goes on by itself: call get_generation with this id in about ${Math.max(seconds, 5)} seconds.`;
    }
  }
}

/**
 * Returns what happened to the credits of a failed generation, unless its own message contains that.
 * `studio/sql/functions/refund_failed_or_stopped.sql` refunds, and
 * `service/src/generations/settle/failure-sentences.ts` has the messages.
 */
function refundOf(error: Generation['error']): string {
  if (error?.code === 'stopped')
    return 'Its credits came back unless an engine had begun: account tells the balance. ';
  return error?.message.includes('credits were given back') === true ? '' : 'Its credits came back. ';
}

/**
 * Waits for the end of an accepted generation and reports progress to the caller. Returns the generation's state at
 * that time. Never fails: the caller has paid and needs the id.
 */
export async function waitFor(
  call: ToolCall,
  accepted: Generation,
  { seconds, note }: { seconds: number; note: string },
): Promise<Found<GenerationData>> {
  try {
    return await watch(call, accepted.id, { seconds, note });
  } catch {
    return foundGeneration(accepted, undefined, note);
  }
}

async function watch(
  call: ToolCall,
  id: string,
  { seconds, note }: { seconds: number; note?: string },
): Promise<Found<GenerationData>> {
  const { client, signal } = call;
  using reporter = new Reporter(call);
  if (seconds > 0)
    try {
      const onProgress = (progress: Progress) => reporter.show(describe(progress));
      await client.generations.wait(id, {
        timeout: seconds * 1_000,
        signal,
        ...(reporter.wanted && { onProgress }),
      });
    } catch (error) {
      if (!RenderkitError.is(error) || !endsOfWaiting.has(error.code)) throw error;
    }
  return await retrieve(client, id, note);
}

const endsOfWaiting = new Set(['still_running', 'aborted', 'generation_failed', 'generation_canceled']);

async function retrieve(client: Renderkit, id: string, note?: string): Promise<Found<GenerationData>> {
  const generation = await client.generations.retrieve(id);
  const open = generation.status === 'queued' || generation.status === 'running';
  return foundGeneration(generation, open ? await client.generations.progress(id) : undefined, note);
}

/** Sends progress notifications if the caller asked for them. Their number is the seconds so far, so it grows. */
class Reporter implements Disposable {
  readonly wanted: boolean;
  readonly #call: ToolCall;
  readonly #since = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #message = 'accepted';

  constructor(call: ToolCall) {
    this.#call = call;
    this.wanted = call.context.mcpReq._meta?.progressToken !== undefined;
    this.#timer = this.wanted ? setInterval(() => this.#send(), reportMs) : undefined;
    // Sends the first notification at once, so that even a short wait reports progress.
    this.#send();
  }

  show(message: string): void {
    if (message === this.#message) return;
    this.#message = message;
    this.#send();
  }

  #send(): void {
    const { mcpReq } = this.#call.context;
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    const progress = (performance.now() - this.#since) / 1_000;
    void mcpReq
      .notify({
        method: 'notifications/progress',
        params: { progressToken, progress, message: this.#message },
      })
      // A caller that has disconnected receives nothing more.
      .catch(() => undefined);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

const id = z.string().min(1).max(100).describe('gen_…');

export const getGeneration = defineTool({
  name: 'get_generation',
  title: 'Show a generation',
  description:
    'How a generation stands, and its outputs once it has succeeded. wait_seconds holds the answer until it ends.',
  input: z.strictObject({ id, wait_seconds: waitSeconds(0) }),
  output: generationSchema,
  annotations: { readOnlyHint: true },
  run: (given, call) => watch(call, given.id, { seconds: given.wait_seconds }),
});

/** `service/src/generations/cancel/cancel-generation.ts` decides which generations can be canceled. */
export const cancelGeneration = defineTool({
  name: 'cancel_generation',
  title: 'Cancel a generation',
  description: 'Takes a generation out of the queue, which costs nothing. One that runs already goes on.',
  input: z.strictObject({ id }),
  output: generationSchema,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  run: async (given, { client }) => {
    try {
      return foundGeneration(await client.generations.cancel(given.id), undefined);
    } catch (error) {
      if (!RenderkitError.is(error) || error.code !== 'conflict') throw error;
      const now = await retrieve(client, given.id);
      // An earlier cancel counts as success.
      if (now.data.status === 'canceled') return now;
      throw error;
    }
  },
});
