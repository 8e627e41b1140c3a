import type {
  CallToolResult,
  ClientCapabilities,
  ContentBlock,
  InputRequiredResult,
  McpServer,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { RenderkitError, type RenderkitErrorCode } from 'renderkit';
import type { z } from 'zod';
import type { McpConnection } from './connection.ts';

/** One call of a tool. */
export type ToolCall = Omit<McpConnection, 'signal'> & {
  context: ServerContext;
  /** Aborts when the caller gives up. */
  signal: AbortSignal;
  /** Whether the caller's program can show a form to a person. */
  canAsk: boolean;
};

/** The result of a tool: a short text for the model, the same facts as data, and links. */
export type Found<Data> = {
  text: string;
  data: Data;
  /** Follows the text: links, and pictures when the tool shows one. */
  content?: ContentBlock[];
};

export type Tool = {
  name: string;
  register(server: McpServer, connection: McpConnection): void;
};

type Definition<Input extends z.ZodObject, Output extends z.ZodObject> = {
  name: string;
  title: string;
  /** Text for the model: what the tool does, and when another tool is better. */
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  run: (
    given: z.infer<Input>,
    call: ToolCall,
  ) => Promise<Found<z.infer<Output>> | InputRequiredResult | ToolRefusal>;
};

/** A refusal by this server, in the same form as the API's errors. */
export class ToolRefusal extends Error {
  readonly code: string;
  /** Advice: what to do next. */
  readonly next: string;
  readonly details: object;

  constructor(code: string, message: string, next: string, details: object = {}) {
    super(message);
    this.code = code;
    this.next = next;
    this.details = details;
  }
}

/**
 * Combines the name, schemas and function of a tool. An error that `run` throws becomes the result of a failed tool
 * call.
 */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Tool {
  const { name, title, description, input, output, annotations, run } = definition;
  return {
    name,
    register: (server, connection) => {
      const work = async (given: z.infer<Input>, context: ServerContext) => {
        const signals = [context.mcpReq.signal, connection.signal].filter((one) => one !== undefined);
        const signal = AbortSignal.any(signals);
        try {
          const found = await run(given, { ...connection, context, signal, canAsk: canAsk(server, context) });
          if (found instanceof ToolRefusal) return refusedResult(found);
          if (!('text' in found)) return found;
          const { text, data, content = [] } = found as Found<object>;
          return {
            content: [{ type: 'text' as const, text }, ...content],
            structuredContent: data as Record<string, unknown>,
          };
        } catch (error) {
          return refusedResult(refusalOf(error));
        }
      };
      const schemas: Record<'inputSchema' | 'outputSchema', z.ZodObject> = {
        inputSchema: input,
        outputSchema: output,
      };
      server.registerTool(
        name,
        { title, description, ...schemas, annotations: { openWorldHint: false, ...annotations } },
        work as (given: unknown, context: ServerContext) => Promise<CallToolResult | InputRequiredResult>,
      );
    },
  };
}

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/**
 * Returns whether the client can show a form. The newer protocol sends this with each request. The older one sends it
 * only at the beginning, which a stateless server does not remember.
 */
function canAsk(server: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope: Record<string, unknown> | undefined = mcpReq.envelope;
  const ofRequest = envelope?.[capabilitiesKey] as ClientCapabilities | undefined;
  const { elicitation } = ofRequest ?? server.server.getClientCapabilities() ?? {};
  if (elicitation === undefined) return false;
  return 'form' in elicitation || !('url' in elicitation);
}

const again = 'Call again with the same arguments in a moment: what was accepted is not charged twice.';

/**
 * Advice for the model or the person after a refusal. `adviceOf` in `clients/cli/src/failure.ts` has the advice of the
 * command line.
 */
const nextSteps: Partial<Record<RenderkitErrorCode, string>> = {
  invalid_request: 'Correct these fields; get_model says what a model takes.',
  unauthorized: 'Tell the person that the API key is missing, revoked or expired.',
  insufficient_credits: 'Tell the person. A cheaper model, or a shorter video, may fit: estimate is free.',
  forbidden: 'Tell the person: a key with that permission is made on the Keys page of the console.',
  budget_exceeded:
    'Tell the person: the budget begins anew at midnight UTC, or can be raised on the Keys page.',
  tier_required: 'Choose a model of list_models: it names those of the plan.',
  connection_expired: 'Tell the person to sign in to the console again.',
  not_found: 'Check the id: list_library and list_models name those that there are.',
  conflict: 'Call get_generation to see how it stands; use a new request_id for another request.',
  unprocessable: 'Use another picture or file.',
  moderation_blocked: 'Change the prompt or the picture. Do not send the same again.',
  rate_limited: 'Wait, then call again.',
  queue_full: 'Wait until something has finished, then call again.',
  internal_error: again,
  upstream_error: again,
  upstream_unavailable: again,
  connection_failed: again,
};

/** @internal */
export function refusalOf(error: unknown): ToolRefusal {
  if (error instanceof ToolRefusal) return error;
  if (!RenderkitError.is(error))
    return new ToolRefusal('internal_error', error instanceof Error ? error.message : 'It failed.', again);
  // A message that was built from the fields already contains them in the service's format.
  const missing = error.errors
    .map(({ field, message }) => `${field}: ${message}`)
    .filter((text) => !error.message.includes(text));
  const seconds = error.retryAfter === undefined ? '' : ` In ${error.retryAfter} seconds it may work.`;
  const message = missing.length === 0 ? error.message : `${error.message} ${missing.join('; ')}`;
  return new ToolRefusal(error.code, message + seconds, nextSteps[error.code] ?? 'Tell the person.', {
    ...(error.errors.length > 0 && { fields: error.errors }),
    ...(error.retryAfter !== undefined && { retry_after_seconds: error.retryAfter }),
    ...(error.requestId !== undefined && { request_id: error.requestId }),
  });
}

/**
 * Returns a failure as text only, because clients validate structured content of a failure against the schema of a
 * success.
 */
function refusedResult({ code, message, next, details }: ToolRefusal): CallToolResult {
  const lines = [`${code}: ${message}`, `Next: ${next}`];
  if (Object.keys(details).length > 0) lines.push(JSON.stringify(details));
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }] };
}
