import type { CreateOptions, Generation } from 'renderkit';
import type Renderkit from 'renderkit';

/** One of the four creates, under the name that an estimate uses. */
export type CreateKind = Generation['kind'];

/** Fields of a create, as in the HTTP API. Fields that take references may have files. */
export type RequestBody = Record<string, unknown>;

type Kind = {
  path: string;
  /** Name of the client's method that creates and waits. */
  method: string;
  /** The command for this create. */
  command: string;
  send: (client: Renderkit, body: RequestBody, options: CreateOptions) => PromiseLike<Generation>;
};

export const createKinds: Record<CreateKind, Kind> = {
  image: {
    path: '/v1/images/generations',
    method: 'images.run',
    command: 'image',
    send: (client, body, options) => client.images.create(body, options),
  },
  image_edit: {
    path: '/v1/images/edits',
    method: 'images.edit',
    command: 'edit',
    send: (client, body, options) => client.images.createEdit(body as { image: string }, options),
  },
  video: {
    path: '/v1/videos/generations',
    method: 'videos.run',
    command: 'video',
    send: (client, body, options) => client.videos.create(body, options),
  },
  video_extend: {
    path: '/v1/videos/extend',
    method: 'videos.runExtend',
    command: 'extend',
    send: (client, body, options) =>
      client.videos.extend(body as { video_id: string; prompt: string }, options),
  },
};

/**
 * Fields that hold one reference. `severalReferences` has the fields that hold a list. `clients/sdk/src/files.ts` has
 * the same lists.
 */
export const singleReferences = ['image', 'mask', 'start_image', 'end_image', 'source_video'] as const;
export const severalReferences = ['reference_images', 'reference_audios'] as const;
