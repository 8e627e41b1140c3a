import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { GenerationRow } from '../present.ts';
import type { OutputProvenance } from '../provenance.ts';

/** A generation with the key that asked for it and how its prompt begins; null: it has none, or it was erased. */
export type KeyedRow = {
  row: GenerationRow;
  keyId: string;
  /** Undefined where the key is none of the service's any more. */
  key: { name: string; console: boolean } | undefined;
  prompt: string | null;
};

/**
 * A request as it went to the studio, what it named beside the studio's own, `[{id, url}]`, and the body as it was sent, null of
 * generations from before it was kept. All JSON text.
 */
export type StoredRequest = { renderRequest: string; uploads: string | null; sentBody: string | null };

/** One generation with its whole request, undefined where that was erased, and how its outputs were made. */
export type StoredDetail = KeyedRow & { request: StoredRequest | undefined; provenance: OutputProvenance[] };

/** How a generation was made: its request, which is kept for as long as its texts are, and each of its outputs. */
export type MadeWith = {
  kind: GenerationKind;
  model: string;
  request: StoredRequest;
  provenance: OutputProvenance[];
};
