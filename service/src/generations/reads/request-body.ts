import { referencesOf, withReferences } from '@renderkit/contract/studio/references.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { StoredRequest } from './rows-store.ts';

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

/**
 * The body of a create that asks for the same: what was accepted, with the settings that were left out then. `metadata`
 * is JSON text. A mask that came as data is named by the upload that it became.
 */
export function requestBodyOf(
  kind: GenerationKind,
  request: StoredRequest | undefined,
  metadata: string,
): string {
  if (request === undefined) return '{}';
  const {
    kind: _,
    duration_seconds: duration,
    project_id: projectId,
    ...accepted
  } = withAddresses(JSON.parse(request.renderRequest) as Accepted, request.uploads);
  const body: Record<string, unknown> = {
    ...accepted,
    ...(typeof projectId === 'string' && { project_id: projectId }),
    ...(duration !== undefined && { duration }),
    metadata: JSON.parse(metadata) as Record<string, string>,
  };
  const taken = new Set(Object.keys(createOf[kind].request.body.properties));
  return JSON.stringify(
    Object.fromEntries(Object.entries(body).filter(([name, value]) => taken.has(name) && !isEmpty(value))),
  );
}

/** What is the same as if it had been left out. */
function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/** With the addresses again that were sent in the places of these uploads. */
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
