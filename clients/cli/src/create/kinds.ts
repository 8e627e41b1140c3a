import type { CreateOptions, Generation } from 'renderkit';
import type Renderkit from 'renderkit';

/** One of the four creates, by its name in an estimate. */
export type CreateKind = Generation['kind'];

/** Fields of a create, as the HTTP API has them; files where it takes references. */
export type RequestBody = Record<string, unknown>;

type Kind = {
  path: string;
  /** How the method of the client that waits is called. */
  method: string;
  /** The command that makes it. */
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

/** Fields that hold one reference, and those that hold several. */
export const singleReferences = ['image', 'mask', 'start_image', 'end_image', 'source_video'] as const;
export const severalReferences = ['reference_images', 'reference_audios'] as const;
