import { referencesOf, withReferences } from '@renderkit/contract/studio/references.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';
import type { GenerationKind, GenerationRequest } from '@renderkit/contract/v1/schemas/generation.ts';
import type { StoredDetail, StoredRequest } from './rows.ts';

type Accepted = Readonly<Record<string, unknown>>;

/** The create that makes each kind (docs/api.md §4). */
const createOf = {
  image: operations.createImageGeneration,
  image_edit: operations.createImageEdit,
  video: operations.createVideoGeneration,
  video_extend: operations.extendVideo,
} as const satisfies Record<GenerationKind, { path: string }>;

export function pathOfKind(kind: GenerationKind): string {
  return createOf[kind].path;
}

/** Returns the request of a generation for its clients (docs/api.md §4). */
export function presentRequest({ row, request, provenance }: StoredDetail): GenerationRequest {
  const { id, kind, metadata } = row;
  const accepted = request && requestBodyOf(kind, request, metadata);
  const [first] = provenance;
  const seed = first?.seed ?? null;
  return {
    object: 'generation_request',
    generation_id: id,
    path: pathOfKind(kind),
    body:
      request === undefined || accepted === undefined
        ? null
        : request.sentBody === null
          ? accepted
          : (JSON.parse(request.sentBody) as Body),
    seed,
    model_version: first?.model_version ?? null,
    repeat: accepted === undefined ? null : withSeed(accepted, seed),
  };
}

type Body = Record<string, unknown>;

/**
 * Adds the seed that was used, if the model lets a client choose one. Such a body already has a `seed`, because the
 * accept fills in every option.
 */
function withSeed(body: Body, seed: number | null): Body {
  const options = body['options'] as Body | undefined;
  if (seed === null || options?.['seed'] === undefined) return body;
  return { ...body, options: { ...options, seed } };
}

/**
 * Returns the body of a create that asks for the same: the accepted body, with the settings that the client left out.
 * `metadata` is JSON text. A mask that was sent as data is replaced by the id of its upload.
 */
export function requestBodyOf(kind: GenerationKind, request: StoredRequest, metadata: string): Body {
  const {
    kind: _,
    duration_seconds: duration,
    project_id: projectId,
    ...accepted
  } = withAddresses(JSON.parse(request.renderRequest) as Accepted, request.uploads);
  const body: Body = {
    ...accepted,
    ...(typeof projectId === 'string' && { project_id: projectId }),
    ...(duration !== undefined && { duration }),
    metadata: JSON.parse(metadata) as Record<string, string>,
  };
  const taken = new Set(Object.keys(createOf[kind].request.body.properties));
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => taken.has(name) && !isEmpty(value)),
  );
}

/** Returns whether a value means the same as leaving the field out. */
function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/** Puts back the addresses that the client sent in place of these uploads. */
function withAddresses(request: Accepted, uploads: string | null): Accepted {
  if (uploads === null) return request;
  const addresses = new Map(
    (JSON.parse(uploads) as { id: string; url?: string }[]).flatMap(({ id, url }) =>
      url === undefined ? [] : [[id, url] as const],
    ),
  );
  const others = referencesOf(request).flatMap(({ field, value }) => {
    const address = addresses.get(value);
    return address === undefined ? [] : [[field, address] as const];
  });
  return withReferences(request, new Map(others));
}
