import type { RenderRequest } from '@renderkit/contract/studio/schemas.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';

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
 * The body of a create that asks for the same: what was accepted, with the settings that were left out then. `request`
 * and `metadata` are JSON text. Files that came by an address or as data are named by the uploads that they became.
 */
export function requestBodyOf(kind: GenerationKind, request: string | null, metadata: string): string {
  if (request === null) return '{}';
  const {
    kind: _,
    duration_seconds: duration,
    project_id: projectId,
    ...accepted
  } = JSON.parse(request) as RenderRequest;
  const body: Record<string, unknown> = {
    ...accepted,
    ...(projectId !== null && { project_id: projectId }),
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
