import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { GenerationRow } from '../present.ts';
import type { OutputProvenance } from '../provenance.ts';

/**
 * A generation with the key that created it and the beginning of its prompt. `prompt` is null where it has none or it
 * was erased.
 */
export type KeyedRow = {
  row: GenerationRow;
  keyId: string;
  /** Undefined where the service no longer has the key. */
  key: { name: string; console: boolean } | undefined;
  prompt: string | null;
};

/**
 * All JSON text: the request as it was sent to the studio; the uploads and addresses that it named, `[{id, url}]`; and
 * the body as the client sent it. `sentBody` is null for generations made before it was stored.
 */
export type StoredRequest = { renderRequest: string; uploads: string | null; sentBody: string | null };

/** One generation with its whole request and how its outputs were made. `request` is undefined where it was erased. */
export type StoredDetail = KeyedRow & { request: StoredRequest | undefined; provenance: OutputProvenance[] };

/** How a generation was made: its request, which is stored while its texts are, and how each output was made. */
export type MadeWith = {
  kind: GenerationKind;
  model: string;
  request: StoredRequest;
  provenance: OutputProvenance[];
};
