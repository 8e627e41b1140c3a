import { kindFacts } from '@renderkit/contract/studio/kinds.ts';
import type { OperationId } from '@renderkit/contract/v1/operations.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Suite } from '@renderkit/contract/v1/schemas/model.ts';

/** The body of a create, as JSON. */
export type RequestBody = Record<string, unknown>;

/** The facts about a kind of generation that pages need. */
type KindEntry = {
  /** The name in a choice of kinds. */
  name: string;
  /** The noun for one generation of this kind. */
  noun: string;
  suite: Suite;
  operation: OperationId;
  path: string;
};

/** The facts about each kind. `contract/studio/kinds.ts` decides which settings each kind has. */
export const kinds = {
  image: {
    name: 'Image',
    noun: 'image',
    suite: kindFacts.image.suite,
    operation: 'createImageGeneration',
    path: '/v1/images/generations',
  },
  image_edit: {
    name: 'Edit',
    noun: 'edit',
    suite: kindFacts.image_edit.suite,
    operation: 'createImageEdit',
    path: '/v1/images/edits',
  },
  video: {
    name: 'Video',
    noun: 'video',
    suite: kindFacts.video.suite,
    operation: 'createVideoGeneration',
    path: '/v1/videos/generations',
  },
  video_extend: {
    name: 'Extend',
    noun: 'extension',
    suite: kindFacts.video_extend.suite,
    operation: 'extendVideo',
    path: '/v1/videos/extend',
  },
} as const satisfies Record<GenerationKind, KindEntry>;

/** All kinds in the order of the table. */
export const kindNames = Object.keys(kinds) as GenerationKind[];
