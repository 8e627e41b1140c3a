import { createHash } from 'node:crypto';
import { idPrefixes } from '@renderkit/contract/v1/identifiers.ts';
import {
  jsonBodyBytes,
  jsonDepth,
  jsonValues,
  maxImageBytes,
  maxJsonNumberCharacters,
} from '@renderkit/contract/v1/limits.ts';
import { InvalidJson } from '@renderkit/server-kit/http/invalid-json.ts';
import { MalformedForm, readMultipart } from '@renderkit/server-kit/http/multipart.ts';
import { type Pace, pacedBody, SenderLost } from '@renderkit/server-kit/http/paced-body.ts';
import {
  BodyCutShort,
  BodyTooFragmented,
  BodyTooLarge,
  readJson,
} from '@renderkit/server-kit/http/read-body.ts';
import {
  exemptFromRequestTimeout,
  mustCloseUnread,
  sendContinue,
} from '@renderkit/server-kit/http/request-body.ts';
import { textLimitsOf } from '@renderkit/server-kit/http/text-limits.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidField } from '../problems/api-problem.ts';
import type { LargeBodies } from '../validation/large-bodies.ts';
import { type FormReading, FormTexts } from './form-texts.ts';

/** A file that was stored while the form arrived. */
export type TakenFile = {
  /** Name of its part, without the brackets of a list. */
  field: string;
  uploadId: string;
  /**
   * SHA-256 of its bytes, in hexadecimal: requests with equal files are equal, although their uploads have different
   * ids.
   */
  sha256: string;
};

export type FacadeRequest = {
  fields: Record<string, unknown>;
  files: TakenFile[];
};

/** Stores bytes as an upload of the account. Implemented in `start-facades.ts`. @throws ApiProblem */
export type StoreFile = (file: {
  accountId: string;
  /** The id of the upload. */
  id: string;
  field: string;
  fileName: string | undefined;
  bytes: () => AsyncIterable<Uint8Array>;
  /** Uses the alpha channel as a mask: the picture changes where it is transparent. */
  maskOfAlpha: boolean;
}) => Promise<void>;

export type ReadOptions = {
  /** How many bytes a JSON body, or all texts of a form together, may have. */
  limitBytes: number;
  /** Parts that are files even without a file name. */
  fileFields: readonly string[];
  /** How many bytes a file of that name may have. Default: the limit of a picture. */
  maxFileBytes?: (field: string) => number;
  isMaskOfAlpha: (field: string) => boolean;
  /** Called before a file of a form is stored, with the fields that came before it. Throws if these are wrong. */
  refuseBeforeFile?: (field: string, fields: Record<string, unknown>) => void;
};

const maxFields = 200;
const maxFiles = 17;
const ordinaryPace: Pace = { minBytesPerSecond: 64 * 1024, windowMs: 20_000 };
const formType = /^multipart\/form-data[ \t]*(;|$)/i;

/**
 * Reads a foreign request, JSON or a form, and ignores unknown names here. Files of a form go to the studio while they
 * arrive and are never whole in memory.
 * @throws ApiProblem invalid_request, and what storing a file throws
 */
export function createReadRequest({
  largeBodies,
  storeFile,
  pace = ordinaryPace,
}: {
  largeBodies: LargeBodies;
  storeFile: StoreFile;
  /** The pace of a JSON body, of each file of a form, and of the rest of a form together. */
  pace?: Pace;
}) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    accountId: string,
    options: ReadOptions,
  ): Promise<FacadeRequest> => {
    const reading: Reading = { request, reply, accountId, largeBodies, pace, ...options };
    if (formType.test(request.headers['content-type'] ?? '')) return readForm({ ...reading, storeFile });
    const fields = await readFields(reading);
    return { fields, files: [] };
  };
}

type Reading = ReadOptions & FormReading;

async function readFields({
  request,
  reply,
  accountId,
  limitBytes,
  largeBodies,
  pace,
}: Reading): Promise<Record<string, unknown>> {
  const { raw } = request;
  const announced = Number(raw.headers['content-length'] ?? limitBytes);
  if (announced > limitBytes) throw invalidField('body', `must not be larger than ${limitBytes} bytes`);
  using _ = exemptFromRequestTimeout(raw);
  const release =
    announced > jsonBodyBytes ? await largeBodies.enter(accountId, announced, reply.raw) : () => undefined;
  try {
    sendContinue(raw, reply.raw);
    const limits = {
      maxDepth: jsonDepth,
      maxValues: 10 * jsonValues,
      maxNumberCharacters: maxJsonNumberCharacters,
      maxContentBytes: limitBytes,
      maxGatheredBytes: jsonBodyBytes,
      texts: textLimitsOf({}, limitBytes),
    };
    const json = await readJson(raw, { limitBytes, json: limits, pace, large: announced > jsonBodyBytes });
    const value =
      json === undefined ? {} : { ...(json.value as object), ...Object.fromEntries(json.longTexts) };
    if (
      json !== undefined &&
      (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    )
      throw invalidField('body', 'must be a JSON object');
    // Some clients send null for fields that they leave out.
    return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
  } catch (error) {
    throw problemOfBody(error);
  } finally {
    release();
  }
}

async function readForm(reading: Reading & { storeFile: StoreFile }): Promise<FacadeRequest> {
  const { request, reply, accountId, storeFile, fileFields, pace } = reading;
  const { maxFileBytes = () => maxImageBytes, isMaskOfAlpha, refuseBeforeFile } = reading;
  using _ = exemptFromRequestTimeout(request.raw);
  sendContinue(request.raw, reply.raw);
  const fields: Record<string, unknown> = {};
  const files: TakenFile[] = [];
  using texts = new FormTexts(reading);
  // The iterator is not closed after a refusal: that would wait for a part that does not come.
  const parts = readMultipart(request.raw);
  try {
    for (let count = 1; ; count++) {
      const part = await texts.next(parts);
      if (part === undefined) return { fields, files };
      if (count > maxFields) throw invalidField('body', `must not have more than ${maxFields} parts`);
      const field = part.name.replace(/\[\d*\]$/, '');
      if (!part.isFile && !fileFields.includes(field)) {
        addField(fields, part.name, await texts.read(part));
        continue;
      }
      if (files.length === maxFiles) throw invalidField(field, `must not be more than ${maxFiles} files`);
      const hash = createHash('sha256');
      refuseBeforeFile?.(field, fields);
      const uploadId = newId(idPrefixes.upload);
      const bytes = () => texts.inTime(pacedBody(part.content, pace));
      await storeFile({
        accountId,
        id: uploadId,
        field,
        fileName: part.fileName === '' ? undefined : part.fileName,
        maskOfAlpha: isMaskOfAlpha(field),
        bytes: () => hashed(bytes(), hash, { field, maxBytes: maxFileBytes(field) }),
      });
      request.brought?.add({ id: uploadId, accountId });
      files.push({ field, uploadId, sha256: hash.digest('hex') });
    }
  } catch (error) {
    // Does not wait for a client that sends nothing more, and does not read what may still come.
    if (error instanceof SenderLost && mustCloseUnread(request.raw)) reply.header('connection', 'close');
    throw problemOfBody(error);
  }
}

async function* hashed(
  bytes: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
  { field, maxBytes }: { field: string; maxBytes: number },
): AsyncGenerator<Buffer, void> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw invalidField(field, `must not be larger than ${maxBytes} bytes`);
    hash.update(chunk);
    yield chunk;
  }
}

/** Adds a field of a form, which writes nested values as `key[sub]` and lists as `key[]`. */
function addField(fields: Record<string, unknown>, name: string, value: string): void {
  const [, key = name, sub] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? [];
  if (key === '__proto__' || sub === '__proto__') return;
  if (sub === undefined) fields[key] = value;
  else if (sub === '' || /^\d+$/.test(sub))
    fields[key] = [...(Array.isArray(fields[key]) ? fields[key] : []), value];
  else {
    const nested = fields[key];
    fields[key] = { ...(typeof nested === 'object' && !Array.isArray(nested) ? nested : {}), [sub]: value };
  }
}

function problemOfBody(error: unknown): unknown {
  if (error instanceof InvalidJson) {
    const [issue] = error.issues;
    return invalidField(
      issue === undefined || issue.path === '' ? 'body' : issue.path,
      issue?.message ?? 'is no JSON',
    );
  }
  if (error instanceof BodyTooLarge) return invalidField('body', 'is too large');
  if (error instanceof BodyTooFragmented)
    return invalidField('body', 'must not come in pieces of a few bytes each');
  if (error instanceof BodyCutShort) return invalidField('body', 'ended before its time');
  if (error instanceof SenderLost) return invalidField('body', 'came too slowly, or not to its end');
  if (error instanceof MalformedForm) return invalidField('body', 'is not a whole multipart form');
  return error;
}
