import { createHash } from 'node:crypto';
import { ApiProblem } from '../problems/api-problem.ts';
import type { OutputMedia } from './output-media.ts';
import type { StoreFile } from './read-request.ts';

/** A picture that a request brings. `reference` goes into the create, `identity` says what it is. */
export type TakenImage = { reference: string; identity: string };

const dataUrl = /^data:[^,;]*(?:;[^,;]*)*;base64,/;
const idOfOurs = /^(?:upl|ast)_[0-9a-z]+$/;
const base64Only = /^[A-Za-z0-9+/\s]+=*\s*$/;
const shortestBase64 = 40;

/**
 * Takes a picture in any form that a client has: a data URL, bare base64, one of our ids, one of our links, or an https
 * address, which is fetched later as one in `/v1` is. What it is, is judged by its bytes and never by what it says.
 * @throws ApiProblem invalid_request that names the field, and what storing a file throws
 */
export async function takeImage(
  value: unknown,
  {
    accountId,
    field,
    media,
    storeFile,
    maskOfAlpha = false,
  }: { accountId: string; field: string; media: OutputMedia; storeFile: StoreFile; maskOfAlpha?: boolean },
): Promise<TakenImage> {
  if (typeof value !== 'string' || value === '') throw invalid(field, 'must be a picture');
  const text = value.trim();
  if (idOfOurs.test(text)) return { reference: text, identity: text };
  if (/^https?:\/\//i.test(text)) {
    const asset = media.assetIdOf(text);
    return { reference: asset ?? text, identity: asset ?? text };
  }
  const encoded = dataUrl.test(text) ? text.slice(text.indexOf(',') + 1) : text;
  if (encoded.length < shortestBase64 || !base64Only.test(encoded))
    throw invalid(
      field,
      'must be a data URL, base64, an https address, or the id of an upload or a library item',
    );
  const bytes = Buffer.from(encoded, 'base64');
  const reference = await storeFile({
    accountId,
    field,
    fileName: undefined,
    maskOfAlpha,
    bytes: async function* () {
      yield bytes;
    },
  });
  return { reference, identity: createHash('sha256').update(bytes).digest('hex') };
}

function invalid(field: string, message: string): ApiProblem {
  return new ApiProblem('invalid_request', { errors: [{ field, message }] });
}
