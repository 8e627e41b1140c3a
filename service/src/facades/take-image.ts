import { createHash } from 'node:crypto';
import { idPrefixes } from '@renderkit/contract/v1/identifiers.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { invalidField } from '../problems/api-problem.ts';
import type { OutputMedia } from './output-media.ts';
import type { StoreFile } from './read-request.ts';

/** A picture of a request. `reference` goes into the create; `identity` identifies its content. */
export type TakenImage = {
  reference: string;
  identity: string;
  /**
   * Stores the bytes under the reference, if the request contains them. Called once nothing else can refuse the
   * request.
   */
  store?: () => Promise<void>;
};

/** Stands for a picture that has not arrived yet, to check the fields before it. */
export const imageToCome: TakenImage = { reference: '', identity: '' };

const dataUrl = /^data:[^,;]*(?:;[^,;]*)*;base64,/;
const idOfOurs = /^(?:upl|ast)_[0-9a-z]+$/;
const base64Only = /^[A-Za-z0-9+/\s]+=*\s*$/;
const minBase64Characters = 40;

/**
 * Accepts a picture in any form: a data URL, bare base64, an id or a link of the service, or an https address, which is
 * fetched later as in `/v1`. The bytes decide the type, not what the client declares.
 * `service/src/references/resolve-references.ts` checks ids of uploads and addresses.
 * @throws ApiProblem invalid_request that names the field
 */
export function takeImage(
  value: unknown,
  {
    accountId,
    field,
    media,
    storeFile,
    maskOfAlpha = false,
  }: { accountId: string; field: string; media: OutputMedia; storeFile: StoreFile; maskOfAlpha?: boolean },
): TakenImage {
  if (typeof value !== 'string' || value === '') throw invalidField(field, 'must be a picture');
  const text = value.trim();
  if (idOfOurs.test(text)) return { reference: text, identity: text };
  if (/^https?:\/\//i.test(text)) {
    const asset = media.assetIdOf(text);
    return { reference: asset ?? text, identity: asset ?? text };
  }
  const encoded = dataUrl.test(text) ? text.slice(text.indexOf(',') + 1) : text;
  if (encoded.length < minBase64Characters || !base64Only.test(encoded))
    throw invalidField(
      field,
      'must be a data URL, base64, an https address, or the id of an upload or a library item',
    );
  let bytes: Buffer | undefined = Buffer.from(encoded, 'base64');
  const id = newId(idPrefixes.upload);
  return {
    reference: id,
    identity: createHash('sha256').update(bytes).digest('hex'),
    store: async () => {
      const stored = bytes;
      // Drops the bytes, because the request and this function are held for minutes.
      bytes = undefined;
      if (stored === undefined) return;
      await storeFile({
        accountId,
        id,
        field,
        fileName: undefined,
        maskOfAlpha,
        bytes: async function* () {
          yield stored;
        },
      });
    },
  };
}
