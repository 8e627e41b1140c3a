import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  maxAudioBytes,
  maxImageBytes,
  maxTextCharacters,
  maxVideoBytes,
} from '@renderkit/contract/v1/limits.ts';
import type { Operation } from '@renderkit/contract/v1/operation.ts';
import { textLimitsOf } from '@renderkit/server-kit/http/text-limits.ts';
import type { TSchema } from 'typebox';
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts';
import { ApiProblem, type FieldError } from '../problems/api-problem.ts';
import { type Check, compileCheck } from './compile-check.ts';
import type { LargeBodies } from './large-bodies.ts';
import { type JsonBody, readJsonBody } from './read-json-body.ts';
import { describeUnknown } from './describe-unknown-field.ts';

export type ValidRequest = {
  params: Record<string, string>;
  query: Record<string, string | number | boolean>;
  body: unknown;
  idempotencyKey: string | undefined;
  /** The client sent a form instead of JSON; it has not been read. */
  isForm?: boolean;
  /**
   * The caller must call this after the request was answered, with any outcome, to free the place of its large body.
   */
  release?: (() => void) | undefined;
};

export type RawRequest = {
  /** The account that sent the request. */
  accountId: string;
  request: IncomingMessage;
  response: ServerResponse;
  /** Already decoded. */
  params: Record<string, string>;
  /** The text after the question mark. */
  query: string | undefined;
};

/** The parts of an operation that determine the form of its requests. */
export type ValidatedOperation = Pick<Operation, 'request' | 'idempotent'>;

/** Explains unknown fields of a body better than the schema alone can: it changes the messages of such errors. */
export type ExplainUnknown = (asked: {
  accountId: string;
  body: unknown;
  errors: FieldError[];
}) => Promise<void>;

const noBody: unknown = Object.freeze({});

/**
 * Makes a function that validates the form of one operation's requests: headers, query and body. It reports all errors
 * at once. It throws ApiProblem: `invalid_request`, or `not_found` for a path with an impossible id.
 * `service/src/catalog/validate-body.ts` checks later which values the model accepts.
 */
export function requestValidator(
  operation: ValidatedOperation,
  largeBodies: LargeBodies,
  explainUnknown?: ExplainUnknown,
): (raw: RawRequest) => Promise<ValidRequest> | ValidRequest {
  const { params: paramsSchema, body: bodySchema, bodyRequired } = operation.request;
  const checkQuery = compileQueryCheck(operation.request.query);
  const checkParams = paramsSchema === undefined ? undefined : compileCheck(paramsSchema, 'parameter');
  const checkBody = bodySchema === undefined ? undefined : compileCheck(bodySchema, 'field');
  const texts = bodySchema === undefined ? undefined : textLimitsOf(bodySchema, maxTextCharacters);

  const validateHead = (raw: RawRequest, errors: FieldError[]) => ({
    params: raw.params,
    query: checkQuery(raw.query, errors),
    idempotencyKey: operation.idempotent ? readIdempotencyKey(raw.request, errors) : undefined,
  });
  const validatePath = (params: Record<string, string>, errors: FieldError[]) => {
    for (const name in params)
      if (params[name]?.includes('\0') === true)
        errors.push({ field: name, message: 'must not hold U+0000' });
    if (errors.length > 0) throw new ApiProblem('invalid_request', { errors });
    const unfit: FieldError[] = [];
    checkParams?.(params, unfit);
    if (unfit.length > 0) throw new ApiProblem('not_found', { detail: 'There is no such resource.' });
  };

  if (checkBody === undefined || texts === undefined)
    return (raw) => {
      const errors: FieldError[] = [];
      const head = validateHead(raw, errors);
      validatePath(raw.params, errors);
      return { ...head, body: noBody };
    };
  const takesForm = operation.request.form !== undefined;
  return async (raw) => {
    const errors: FieldError[] = [];
    const head = validateHead(raw, errors);
    if (takesForm && formMediaType.test(raw.request.headers['content-type'] ?? '')) {
      if (raw.request.headers['content-encoding'] !== undefined)
        errors.push({ field: 'body', message: 'must be sent without a Content-Encoding' });
      if (Number(raw.request.headers['content-length'] ?? 0) > maxFormBytes)
        errors.push({ field: 'file', message: `must not be larger than ${maxFileBytes} bytes` });
      validatePath(raw.params, errors);
      return { ...head, body: noBody, isForm: true };
    }
    const found = errors.length;
    const json = await readJsonBody({ ...raw, ...sizesOf(operation), texts }, largeBodies, errors);
    const { body, release } = json;
    try {
      if (body !== undefined) {
        errors.push(...bodyErrors(json, checkBody));
        if (errors.some(({ unknown }) => unknown !== undefined))
          await explainUnknown?.({ accountId: raw.accountId, body, errors });
      } else if (errors.length === found && bodyRequired !== false)
        errors.push({ field: 'body', message: 'is required' });
      validatePath(raw.params, errors);
    } catch (error) {
      release?.();
      throw error;
    }
    return { ...head, body: body ?? noBody, release };
  };
}

const sizesOf = ({ request: { bodyLimitBytes, maxBodyValues } }: ValidatedOperation) => ({
  limitBytes: bodyLimitBytes,
  maxValues: maxBodyValues,
});

/** Validates a body without its long texts, then puts them back. Their lengths were checked while reading. */
function bodyErrors({ body, longTexts, issues = [] }: JsonBody, checkBody: Check): FieldError[] {
  const errors: FieldError[] = [];
  checkBody(body, errors);
  if (longTexts !== undefined && longTexts.size > 0)
    Object.assign(body as object, Object.fromEntries(longTexts));
  const reported = new Set(errors.map(({ field }) => field));
  return [...errors, ...issues.filter(({ field }) => !reported.has(field))];
}

/** The limit for any type of file. The code that reads the bytes checks smaller limits of a type. */
const maxFileBytes = Math.max(maxImageBytes, maxVideoBytes, maxAudioBytes);
const maxFormBytes = maxFileBytes + 64 * 1024;
const formMediaType = /^multipart\/form-data[ \t]*(;|$)/i;

/** A parsed query: each name once, decoded. Null prototype. */
export type RawQuery = Record<string, string>;

const nothing: RawQuery = Object.freeze(Object.create(null) as RawQuery);

/**
 * Parses the text after the question mark (application/x-www-form-urlencoded). Adds errors for repeated names, invalid
 * UTF-8 and U+0000, for every name.
 */
export function readQuery(text: string | undefined, errors: FieldError[]): RawQuery {
  if (text === undefined || text === '') return nothing;
  const query = Object.create(null) as RawQuery;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const rawName = equals === -1 ? pair : pair.slice(0, equals);
    const name = decode(rawName);
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined || name.includes('\0')) {
      errors.push({ field: rawName, message: 'is not a valid name of a parameter' });
    } else if (value === undefined || value.includes('\0')) {
      errors.push({ field: name, message: 'is not valid percent-encoded UTF-8 without U+0000' });
    } else if (name in query) {
      errors.push({ field: name, message: 'appears more than once' });
    } else query[name] = value;
  }
  return query;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const plainDigits = /^\d{1,9}$/;
type Properties = Record<string, { type?: string }>;
type Query = Record<string, string | number | boolean>;

/**
 * Makes a function that reads and validates the query of one operation. It refuses unknown names, also when the
 * operation takes no parameters. Integers in the schema must be plain digits and become numbers; booleans must be
 * `true` or `false`.
 */
export function compileQueryCheck(
  schema: TSchema | undefined,
): (text: string | undefined, errors: FieldError[]) => Query {
  if (schema === undefined)
    return (text, errors) => {
      const query = readQuery(text, errors);
      for (const name in query)
        errors.push({ field: name, message: describeUnknown(name, { what: 'parameter', names: [] }) });
      return query;
    };
  const check = compileCheck(schema, 'parameter');
  const { properties } = schema as unknown as { properties: Properties };
  const namesOf = (type: string) => Object.keys(properties).filter((name) => properties[name]?.type === type);
  const integers = namesOf('integer');
  const booleans = namesOf('boolean');
  return (text, errors) => {
    const query: Query = readQuery(text, errors);
    for (const name of integers) {
      const value = query[name];
      if (value === undefined) continue;
      if (plainDigits.test(String(value))) query[name] = Number(value);
      else {
        errors.push({ field: name, message: 'must be a whole number in plain digits' });
        delete query[name];
      }
    }
    // Any other word stays a text, and the schema reports the error.
    for (const name of booleans)
      if (query[name] === 'true' || query[name] === 'false') query[name] = query[name] === 'true';
    check(query, errors);
    return query;
  };
}
