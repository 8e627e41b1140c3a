import { type EventType, eventTypes } from '@renderkit/contract/v1/event-types.ts';
import { headers, problemMediaType } from '@renderkit/contract/v1/headers.ts';
import { maxIdempotencyKeyCharacters, maxWaitSeconds } from '@renderkit/contract/v1/limits.ts';
import { acceptedScopes, type Operation } from '@renderkit/contract/v1/operation.ts';
import { operationIds, operations, type OperationId } from '@renderkit/contract/v1/operations.ts';
import { problemCodes, type ProblemCode } from '@renderkit/contract/v1/problem-codes.ts';
import { estimateRequests } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import { generationKinds } from '@renderkit/contract/v1/schemas/generation.ts';
import { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { firstSample, samples, secondSample } from '@renderkit/contract/v1/samples.ts';
import { scopeDescriptions, scopes } from '@renderkit/contract/v1/scopes.ts';
import { describeWebhooks, webhookTag } from './openapi-webhooks.ts';

type Json = { [key: string]: unknown };

const tagDescriptions: Record<Operation['tag'], string> = {
  Account: 'The studio account behind the key.',
  Catalog: 'What can render, and what it can be told.',
  Projects: 'Folders for what was generated.',
  Library: 'Everything generated on the account.',
  Uploads: 'Files of the client, to be used in generations.',
  Generations: 'The jobs: create, watch, cancel.',
  Events: 'What happens on the account, as it happens.',
};

const schemeNames = ['bearer', 'apiKeyHeader'] as const;

/**
 * Returns the text of contract/openapi.json: the document of all operations and events. Paths, statuses and texts of
 * operations are in `contract/v1/operations.ts`.
 */
export function openapiText(): string {
  return `${JSON.stringify(openapiDocument(operationIds, eventTypes), null, 2)}\n`;
}

/**
 * Returns the OpenAPI 3.1 document of the given operations, and of webhooks for the given types of events. Named
 * schemas become components. Equal refusals are written once.
 */
export function openapiDocument(ids: readonly OperationId[], events: readonly EventType[] = []): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const id of ids) {
    const operation: Operation = operations[id];
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describeOperation(
      id,
      operation,
      components,
    );
  }
  const tags = [...new Set(ids.map((id) => operations[id].tag))].map((name) => ({
    name,
    description: tagDescriptions[name],
  }));
  const webhooks = describeWebhooks(events, (schema) => components.convert(schema));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Renderkit API',
      version: '1.0.0',
      description: introduction(),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that gave you this document.' }],
    security: schemeNames.map((name) => ({ [name]: [] })),
    tags: events.length === 0 ? tags : [...tags, webhookTag],
    paths,
    ...(events.length > 0 && { webhooks }),
    components: {
      schemas: sorted(components.schemas),
      responses: sorted(components.responses),
      parameters: sorted(components.parameters),
      headers: headerComponents(),
      securitySchemes: securitySchemes(),
    },
  };
}

function introduction(): string {
  const lines = scopes.map((scope) => `- \`${scope}\`: ${scopeDescriptions[scope]}`);
  return [
    'Makes pictures and videos on a studio account. A create answers at once with a queued generation; ask for it',
    'with `wait` until it has finished. Every refusal is a problem document (RFC 9457) with a stable `code`.',
    '',
    'What a key may do is a matter of its scopes:',
    '',
    ...lines,
    '',
    'The samples of the operations can be pasted into a shell after these two. The first says where the service is and which',
    'key is used: that of the demo account is shown at the first start.',
    '',
    '```sh',
    firstSample,
    '```',
    '',
    'The second makes a picture, and keeps ids that the others use.',
    '',
    '```sh',
    secondSample,
    '```',
  ].join('\n');
}

function describeOperation(id: OperationId, operation: Operation, components: Components): Json {
  const { request, response } = operation;
  const parameters = [
    ...parametersOf('path', request.params, components),
    ...parametersOf('query', request.query, components),
  ];
  if (operation.idempotent)
    parameters.push(components.idempotencyKey(), components.prefer(), components.maxCredits());
  if (response.stream !== undefined) parameters.push(components.lastEventId());
  const accepted = acceptedScopes(operation);
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\nScope: ${accepted.map((scope) => `\`${scope}\``).join(' or ')}.`,
    security: schemeNames.flatMap((name) => accepted.map((scope) => ({ [name]: [scope] }))),
    ...(parameters.length > 0 && { parameters }),
    ...(request.body !== undefined && { requestBody: requestBody(request.body, request, components) }),
    responses: {
      [response.status]: {
        description: operation.idempotent ? 'Accepted: the generation waits in the queue.' : 'Done.',
        headers: headerRefs(
          headers.requestId,
          headers.rateLimit,
          headers.rateRemaining,
          ...(operation.idempotent ? [headers.idempotentReplayed, headers.preferenceApplied] : []),
        ),
        content: {
          [response.mediaType ?? 'application/json']: {
            schema: components.convert(response.schema),
            ...(response.example !== undefined && { example: response.example }),
          },
          ...(response.stream !== undefined && {
            'text/event-stream': { schema: { type: 'string', description: response.stream } },
          }),
        },
      },
      ...problemResponses(operation.problems, components),
    },
    'x-codeSamples': samplesOf(id),
  };
}

/** Returns samples in the form of an extension that documentation renderers support. */
function samplesOf(id: OperationId): Json[] {
  const { shell, node, python } = samples[id];
  return [
    { lang: 'Shell', label: 'curl', source: shell },
    ...(node === undefined ? [] : [{ lang: 'JavaScript', label: 'Node', source: node }]),
    ...(python === undefined ? [] : [{ lang: 'Python', label: 'Python', source: python }]),
  ];
}

function parametersOf(where: 'path' | 'query', schema: object | undefined, components: Components): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = components.convert(property);
    return { name, in: where, required: required.includes(name), description, schema: rest };
  });
}

function requestBody(body: object, request: Operation['request'], components: Components): Json {
  const content: Json = { 'application/json': { schema: components.convert(body) } };
  if (request.form !== undefined) {
    content['multipart/form-data'] = { schema: components.convert(request.form) };
  }
  return { required: request.bodyRequired === true, content };
}

function problemResponses(codes: readonly ProblemCode[], components: Components): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of Object.keys(problemCodes) as ProblemCode[]) {
    if (!codes.includes(code)) continue;
    const { status } = problemCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [status, components.problem(status, group)]),
  );
}

/** Collects the components that several operations share. */
class Components {
  readonly schemas: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};
  readonly parameters: Record<string, Json> = {};

  /** Converts a schema to OpenAPI: a schema with a title becomes a reference. */
  convert(input: object): Json {
    const schema = input as Json;
    if (typeof schema.title !== 'string') return this.convertParts(schema);
    const name = schema.title;
    if (!(name in this.schemas)) {
      this.schemas[name] = {};
      this.schemas[name] =
        name === 'EstimateRequest' ? this.estimateRequest(schema) : this.convertParts(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  idempotencyKey(): Json {
    this.parameters.IdempotencyKey = {
      name: headers.idempotencyKey,
      in: 'header',
      required: false,
      description:
        'Chosen by the client, fresh for each new request. The same key again gives the first answer and charges ' +
        'nothing; for a different request it is refused.',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: maxIdempotencyKeyCharacters,
        pattern: '^[\\x20-\\x7E]+$',
      },
    };
    return { $ref: '#/components/parameters/IdempotencyKey' };
  }

  maxCredits(): Json {
    this.parameters.MaxCredits = {
      name: headers.maxCredits,
      in: 'header',
      description:
        'Refuses the create as `budget_exceeded` where it costs more, by the price that would be charged.',
      schema: { type: 'number', minimum: 0, multipleOf: 0.001 },
    };
    return { $ref: '#/components/parameters/MaxCredits' };
  }

  prefer(): Json {
    this.parameters.Prefer = {
      name: headers.prefer,
      in: 'header',
      required: false,
      description:
        `\`wait=N\` holds the answer back until the generation has finished, for N seconds and ${maxWaitSeconds} at most; it ` +
        'shows the state then (RFC 7240). Other preferences are passed over.',
      schema: { type: 'string' },
      example: 'wait=30',
    };
    return { $ref: '#/components/parameters/Prefer' };
  }

  lastEventId(): Json {
    this.parameters.LastEventId = {
      name: headers.lastEventId,
      in: 'header',
      required: false,
      description: 'Id of the last event that was received: the answer goes on after it.',
      schema: { type: 'string', pattern: '^evt_[0-9a-z]{26}$' },
    };
    return { $ref: '#/components/parameters/LastEventId' };
  }

  problem(status: number, codes: ProblemCode[]): Json {
    const name = codes.map(pascalCase).join('Or');
    const counted = status !== 401;
    const waits = status === 429 || status >= 500;
    this.responses[name] = {
      description: codes.map((code) => `\`${code}\`: ${problemCodes[code].meaning}`).join('\n\n'),
      headers: headerRefs(
        headers.requestId,
        ...(counted ? [headers.rateLimit, headers.rateRemaining] : []),
        ...(waits ? [headers.retryAfter] : []),
      ),
      content: {
        [problemMediaType]: {
          schema: {
            allOf: [this.convert(Problem)],
            properties: { status: { const: status }, code: { enum: codes } },
          },
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  /** Describes the request as a tagged union, because client generators support it better than `if` and `then`. */
  private estimateRequest(schema: Json): Json {
    const branches = generationKinds.map((kind) => [kind, this.convert(estimateRequests[kind])] as const);
    return {
      title: schema.title,
      description: schema.description,
      oneOf: branches.map(([, branch]) => branch),
      discriminator: {
        propertyName: 'kind',
        mapping: Object.fromEntries(branches.map(([kind, branch]) => [kind, branch.$ref])),
      },
    };
  }

  private convertParts(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, this.part(keyword, value)]),
    );
  }

  private part(keyword: string, value: unknown): unknown {
    if (keyword === 'examples' || keyword === 'enum' || keyword === 'const' || keyword === 'default')
      return value;
    if (Array.isArray(value)) return value.map((item) => (isJson(item) ? this.convert(item) : item));
    if (!isJson(value)) return value;
    if (keyword !== 'properties') return this.convert(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, property]) => [name, this.convert(property as Json)]),
    );
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function sorted(record: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function headerRefs(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function headerComponents(): Json {
  return {
    [headers.requestId]: {
      description: 'Id of this request, to be quoted when asking for help.',
      schema: { type: 'string' },
    },
    [headers.rateLimit]: {
      description: 'Requests that the key may make in a minute. On every answer to a valid key.',
      schema: { type: 'integer' },
    },
    [headers.rateRemaining]: {
      description: 'How many of them are left in this minute.',
      schema: { type: 'integer', minimum: 0 },
    },
    [headers.retryAfter]: {
      description:
        'Seconds to wait before the request is sent again. Always there on 429 and 503, on 500 where waiting helps.',
      schema: { type: 'integer', minimum: 1 },
    },
    [headers.idempotentReplayed]: {
      description: 'Present when this is the answer of an earlier request with the same Idempotency-Key.',
      schema: { type: 'string', const: 'true' },
    },
    [headers.preferenceApplied]: {
      description: 'Present when the answer was held back, with the seconds that were granted.',
      schema: { type: 'string', pattern: '^wait=\\d+$' },
    },
  };
}

function securitySchemes(): Json {
  return {
    bearer: { type: 'http', scheme: 'bearer', description: 'An API key, `rk_live_…`.' },
    apiKeyHeader: {
      type: 'apiKey',
      in: 'header',
      name: headers.apiKey,
      description: 'The same key in a header.',
    },
  };
}
