import {
  type Reference,
  referencesOf,
  type Referring,
  withReferences,
} from '@renderkit/contract/studio/references.ts';
import { idPrefixes } from '@renderkit/contract/v1/identifiers.ts';
import type { TargetOptions } from '@renderkit/egress/validate-target.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { ApiProblem, type FieldError } from '../problems/api-problem.ts';
import { translated } from '../studio-client/translate-error.ts';
import { validateAddress } from '../uploads/create-upload.ts';
import { fileIssue, refusedFile } from '../uploads/file-issues.ts';
import { findUploads } from '../uploads/queries.ts';
import type { SendFile } from '../uploads/send-file.ts';
import { isDataUrl, type Mask, readMask } from './decode-mask.ts';

/** An upload that a request names. With `url`: an upload that the accept makes and that is fetched from there. */
export type NamedUpload = { id: string; url?: string };

export type ResolvedReferences = {
  /** The body with an id in place of each address and of the mask's text. This body is validated and sent on. */
  body: Referring;
  /** The body as it was sent, except for the mask's text. */
  sentBody: Referring;
  uploads: NamedUpload[];
  /** Ids of uploads that the studio does not have yet. */
  coming: string[];
  /** Set when the request names rejected uploads. */
  refusal: ApiProblem | undefined;
  /** Sends the mask, if there is one, to the studio. Must be called before the quote. @throws ApiProblem */
  sendMask: () => Promise<void>;
};

export type ReferenceDependencies = {
  database: Database;
  sendFile: SendFile;
  /** Which addresses the service may fetch from. */
  target: TargetOptions;
};

const uploadShape = /^upl_[0-9a-z]{26}$/;
const addressShape = /^https?:/i;

/**
 * Resolves the references of a create. Returns `undefined` when only the studio needs to resolve them. Uploads must
 * belong to the account. Addresses get their form validated at once (http addresses by DNS too); each becomes an
 * upload, which is fetched after the 202. Ids of the library are passed on. A mask may be a data URL, which is sent to
 * the studio as a hidden upload. An estimate makes nothing: its mask is decoded but not sent.
 * `service/src/uploads/imports.ts` fetches the addresses. `validateReferences` in
 * `contract/studio/validate-references.ts` checks the media.
 * @throws ApiProblem invalid_request with all issues at once
 */
export async function resolveReferences(
  dependencies: ReferenceDependencies,
  { accountId, body, estimate = false }: { accountId: string; body: Referring; estimate?: boolean },
): Promise<ResolvedReferences | undefined> {
  // A video to extend always comes from the library, never from an upload or an address. Its form is validated as it
  // is.
  const references = referencesOf(body).filter(({ role }) => role !== 'library video');
  const masks = references.filter(({ field, value }) => field === 'mask' && isDataUrl(value));
  // A mask is data or an upload and is never fetched. Validation of its form refuses anything else.
  const addresses = references.filter(({ field, value }) => field !== 'mask' && addressShape.test(value));
  const named = references.filter(({ value }) => value.startsWith(idPrefixes.upload));
  if (masks.length + addresses.length + named.length === 0) return undefined;

  const errors: FieldError[] = [];
  const others = new Map<string, string>();
  const imports = await validateAddresses(dependencies, addresses, others, errors);
  const rejected = await findNamed(dependencies, accountId, named, errors);
  const mask = await decodeMask(masks[0], others, errors);
  if (errors.length > 0) throw new ApiProblem('invalid_request', { errors });

  const ids = [...new Set(named.map(({ value }) => value))];
  return {
    body: withReferences(body, others),
    sentBody: mask === undefined ? body : { ...body, mask: mask.id },
    uploads: [...ids.map((id) => ({ id })), ...imports, ...(mask === undefined ? [] : [{ id: mask.id }])],
    coming: [...imports.map(({ id }) => id), ...(estimate && mask !== undefined ? [mask.id] : [])],
    refusal: refusalOf(rejected),
    sendMask: async () => {
      if (mask !== undefined && !estimate) await sendMask(dependencies.sendFile, accountId, mask);
    },
  };
}

/** Returns the uploads that the addresses will become. An address in two fields is fetched only once. */
async function validateAddresses(
  { target }: ReferenceDependencies,
  addresses: readonly Reference[],
  others: Map<string, string>,
  errors: FieldError[],
): Promise<{ id: string; url: string }[]> {
  const issues = await Promise.all(
    addresses.map(async ({ field, value }) => {
      try {
        await validateAddress(value, target, field);
        return [];
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        return error.errors ?? [];
      }
    }),
  );
  errors.push(...issues.flat());
  const imports = new Map<string, string>();
  for (const { field, value: url } of addresses) {
    const id = imports.get(url) ?? newId(idPrefixes.upload);
    imports.set(url, id);
    others.set(field, id);
  }
  return [...imports].map(([url, id]) => ({ id, url }));
}

/**
 * Returns the fields that name rejected uploads. Uploads that are unknown, deleted or of another account get the same
 * error.
 */
async function findNamed(
  { database }: ReferenceDependencies,
  accountId: string,
  named: readonly Reference[],
  errors: FieldError[],
): Promise<string[]> {
  if (named.length === 0) return [];
  const ids = named.map(({ value }) => value).filter((id) => uploadShape.test(id));
  const found = await findUploads(database, accountId, ids);
  const rejected: string[] = [];
  for (const { field, value } of named) {
    const status = found.get(value);
    if (status === undefined) errors.push({ field, message: 'there is no such upload' });
    else if (status === 'rejected') rejected.push(field);
  }
  return rejected;
}

async function decodeMask(
  reference: Reference | undefined,
  others: Map<string, string>,
  errors: FieldError[],
): Promise<(Mask & { id: string }) | undefined> {
  if (reference === undefined) return undefined;
  const mask = await readMask(reference.value);
  if ('issue' in mask) {
    errors.push({ field: reference.field, message: mask.issue });
    return undefined;
  }
  const id = newId(idPrefixes.upload);
  others.set(reference.field, id);
  return { ...mask, id };
}

async function sendMask(sendFile: SendFile, accountId: string, mask: Mask & { id: string }): Promise<void> {
  const sent = await translated(
    sendFile({
      accountId,
      id: mask.id,
      hidden: true,
      fileName: 'mask.png',
      projectId: undefined,
      sha256: mask.sha256,
      body: mask.bytes,
    }),
  );
  if (sent.outcome === 'refused') throw refusedFile(sent);
  if (sent.outcome === 'unusable')
    throw new ApiProblem('invalid_request', {
      errors: [{ field: 'mask', message: fileIssue(sent.reason, 'mask') }],
    });
}

function refusalOf(fields: readonly string[]): ApiProblem | undefined {
  if (fields.length === 0) return undefined;
  const detail = 'Moderation blocked an upload that the request names.';
  return new ApiProblem('moderation_blocked', {
    detail,
    errors: fields.map((field) => ({ field, message: 'is an upload that was rejected' })),
  });
}
