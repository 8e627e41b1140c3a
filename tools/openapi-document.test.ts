import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { eventTypes } from '@renderkit/contract/v1/event-types.ts';
import { type OperationId, operationIds, operations } from '@renderkit/contract/v1/operations.ts';
import { problemCodes } from '@renderkit/contract/v1/problem-codes.ts';
import { eventSchemas } from '@renderkit/contract/v1/schemas/event.ts';
import { requestHeaders } from '@renderkit/service/webhooks/deliveries/sign.ts';
import { openapiDocument, openapiText } from './openapi-document.ts';

type Parameter = { $ref?: string; name: string; in: string };
type Described = {
  operationId: OperationId;
  parameters?: Parameter[];
  security: Record<string, string[]>[];
  responses: Record<string, { $ref?: string; content?: Record<string, unknown> }>;
};
type Webhook = {
  parameters: { name: string; in: string; required: boolean; schema: { const?: string; pattern?: string } }[];
  requestBody: { content: Record<string, { schema: { $ref: string } }> };
  responses: Record<string, object>;
};
type Document = {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, { post: Webhook }>;
  components: Record<string, Record<string, unknown>>;
};

const whole = openapiDocument(operationIds, eventTypes) as unknown as Document;

test('contract/openapi.json is what the table of operations says', async () => {
  const file = await readFile(new URL('../contract/openapi.json', import.meta.url), 'utf8');
  assert.equal(file, openapiText());
});

test('the document is OpenAPI 3.1 and carries version 1.0.0', () => {
  assert.match(whole.openapi, /^3\.1\./);
  assert.equal(whole.info.version, '1.0.0');
});

test('every reference leads to something, and every component is used', () => {
  const used = new Set<string>();
  for (const reference of referencesIn(whole)) {
    let target: unknown = whole;
    for (const step of reference.slice(2).split('/')) target = (target as Record<string, unknown>)[step];
    assert.ok(target !== undefined, reference);
    used.add(reference);
  }
  for (const [sort, members] of Object.entries(whole.components)) {
    if (sort === 'securitySchemes') continue;
    for (const name of Object.keys(members))
      assert.ok(used.has(`#/components/${sort}/${name}`), `${sort} ${name}`);
  }
});

test('every operation asks for a key, with its scope, by either header', () => {
  for (const described of operationsOf(whole)) {
    const schemes = new Set(described.security.flatMap((requirement) => Object.keys(requirement)));
    assert.deepEqual([...schemes].sort(), Object.keys(whole.components.securitySchemes!).sort());
    for (const requirement of described.security) assert.equal(Object.values(requirement)[0]?.length, 1);
  }
});

test('every operation describes the answers that any route can give', () => {
  for (const described of operationsOf(whole)) {
    for (const status of ['400', '401', '403', '429', '500', '502', '503']) {
      assert.ok(described.responses[status], `${described.operationId} ${status}`);
    }
  }
});

test('the statuses of an operation are those of its problem codes and its success', () => {
  for (const described of operationsOf(whole)) {
    const { problems, response } = operations[described.operationId];
    const statuses = new Set(
      [response.status, ...problems.map((code) => problemCodes[code].status)].map(String),
    );
    assert.deepEqual(Object.keys(described.responses).sort(), [...statuses].sort());
  }
});

test('parameters in a path are declared, and creates take an Idempotency-Key', () => {
  for (const [path, methods] of Object.entries(whole.paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    for (const { operationId, parameters = [] } of Object.values(methods)) {
      assert.deepEqual(
        parameters.filter((one) => one.in === 'path').map((one) => one.name),
        named,
      );
      const takesKey = parameters.some((one) => one.$ref === '#/components/parameters/IdempotencyKey');
      assert.equal(takesKey, operations[operationId].idempotent, operationId);
    }
  }
});

test('everything that a person may read about has a description', () => {
  const bare: string[] = [];
  const walk = (value: unknown, place: string) => {
    if (typeof value !== 'object' || value === null) return;
    const { properties = {} } = value as { properties?: Record<string, Record<string, unknown>> };
    for (const [name, property] of Object.entries(properties))
      if (!('description' in property || '$ref' in property || 'const' in property || 'enum' in property))
        bare.push(`${place}.${name}`);
    for (const [name, part] of Object.entries(value))
      if (name !== 'examples' && name !== 'default') walk(part, `${place}.${name}`);
  };
  for (const [name, schema] of Object.entries(whole.components.schemas!)) {
    assert.ok((schema as { description?: string }).description, name);
    walk(schema, name);
  }
  assert.deepEqual(bare, []);
});

test('a document of some operations has no more than they need', () => {
  const document = openapiDocument(['getAccount']) as unknown as Document;
  assert.deepEqual(Object.keys(document.paths), ['/v1/account']);
  assert.ok(!('Upload' in document.components.schemas!));
});

test('each type of event is a webhook with the headers that a delivery really has, and the body of its type', () => {
  assert.deepEqual(Object.keys(whole.webhooks), [...eventTypes]);
  for (const type of eventTypes) {
    const { parameters, requestBody, responses } = whole.webhooks[type]!.post;
    const sent = requestHeaders({ id: 'dlv_01', eventType: type }, `t=1795253400,v1=${'0a'.repeat(32)}`);
    const { 'Content-Type': contentType, ...others } = sent;
    assert.deepEqual(Object.keys(requestBody.content), [contentType]);
    assert.deepEqual(parameters.map(({ name }) => name).sort(), Object.keys(others).sort());
    for (const { name, in: where, required, schema } of parameters) {
      assert.deepEqual([where, required], ['header', true]);
      const value = others[name] ?? '';
      if (schema.const === undefined) assert.match(value, new RegExp(schema.pattern ?? '^$'), name);
      else assert.equal(value, schema.const);
    }
    const name = requestBody.content['application/json']!.schema.$ref.split('/').at(-1)!;
    assert.equal(name, (eventSchemas[type] as { title?: string }).title);
    const schema = whole.components.schemas![name] as {
      properties: Record<string, object>;
      required: string[];
    };
    assert.deepEqual(schema.required, ['id', 'object', 'type', 'created_at', 'data']);
    assert.deepEqual(schema.properties['type'], { type: 'string', const: type });
    assert.ok('2XX' in responses && 'default' in responses);
  }
});

function operationsOf(document: Document): Described[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods));
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string'
      ? [part]
      : key === 'mapping'
        ? Object.values(part as object)
        : referencesIn(part),
  );
}
