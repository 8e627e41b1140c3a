import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv } from './validators.ts';

type Response = { $ref?: string; headers?: Record<string, unknown>; content?: Record<string, unknown> };
type Document = {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
};
type Told = { status: number; headers: Headers; body: unknown; text: string };

const id = 'openapi.json';
const file = fileURLToPath(import.meta.resolve('@renderkit/contract/openapi.json'));
const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
const ajv = createAjv({ strict: false });
ajv.addSchema({ ...document, $id: id });

/** The path with fewest parameters first: `/v1/assets/images/{id}` must match before `/v1/assets/{type}/{id}`. */
const templates = Object.keys(document.paths)
  .sort((a, b) => a.split('{').length - b.split('{').length)
  .map((template) => ({ template, shape: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
const validators = new Map<string, ValidateFunction>();
/** Statuses with which an answer may lack a header that the document lists. `undefined`: with any status. */
const occasional: Record<string, number[] | undefined> = {
  'Idempotent-Replayed': undefined,
  'Preference-Applied': undefined,
  'Retry-After': [500, 502],
  // Errors before the client is known: a path that cannot be read, an unreachable database.
  'X-RateLimit-Limit': [400, 500],
  'X-RateLimit-Remaining': [400, 500],
};

/**
 * Asserts that the OpenAPI document allows this answer of /v1: the status for the operation, the headers, the media
 * type, and the body by its schema.
 */
export function assertPromised(method: string, path: string, answer: Told): void {
  const what = `${method} ${path} → ${answer.status} ${answer.text.slice(0, 600)}`;
  const bare = path.split('?')[0] ?? '';
  const found = templates.find(({ shape }) => shape.test(bare));
  // HEAD is answered like GET, but without the body.
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = found === undefined ? undefined : document.paths[found.template]?.[verb];
  if (found === undefined || operation === undefined) {
    assert.ok(answer.status >= 400, `there is no such operation: ${what}`);
    // An answer to HEAD has no body.
    if (answer.text !== '') assertSchema(pointer('components', 'schemas', 'Problem'), answer.body, what);
    return;
  }
  const promised = operation.responses[String(answer.status)];
  assert.ok(promised, `${operation.operationId} does not promise this status: ${what}`);
  const place =
    promised.$ref === undefined
      ? pointer('paths', found.template, verb, 'responses', String(answer.status))
      : promised.$ref.slice(1);
  const response = promised.$ref === undefined ? promised : responseOf(promised.$ref);
  const media = answer.headers.get('content-type')?.split(';')[0] ?? '';
  assert.ok(response.content?.[media] !== undefined, `another media type, ${media}: ${what}`);
  for (const name of Object.keys(response.headers ?? {}))
    if (!(name in occasional) || occasional[name]?.includes(answer.status) === false)
      assert.ok(answer.headers.has(name), `${name} is missing: ${what}`);
  if (method === 'HEAD') assert.equal(answer.text, '', what);
  else assertSchema(`${place}${pointer('content', media, 'schema')}`, answer.body, what);
}

function assertSchema(place: string, body: unknown, what: string): void {
  let validate = validators.get(place);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `${id}#${place}` });
    validators.set(place, validate);
  }
  assert.ok(validate(body), `${what} ${JSON.stringify(validate.errors)}`);
}

function responseOf(reference: string): Response {
  const response = document.components.responses[reference.split('/').at(-1) ?? ''];
  assert.ok(response, reference);
  return response;
}

/** Returns a JSON pointer in the form for a URL's fragment. */
function pointer(...steps: string[]): string {
  return steps
    .map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}
