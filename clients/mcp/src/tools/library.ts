import type { Asset, Renderkit } from 'renderkit';
import { RenderkitError } from 'renderkit';
import { z } from 'zod';
import { readSmallImage } from '../small-image.ts';
import { defineTool, type Found, ToolRefusal } from '../tool.ts';

const text = z.string();
const number = z.number();

export const listLibrary = defineTool({
  name: 'list_library',
  title: 'List the library',
  description: 'What was made before, newest first. search looks into prompts.',
  input: z.strictObject({
    search: text.max(200).optional(),
    type: z.enum(['image', 'video']).optional(),
    project_id: text.max(100).optional(),
    favorites: z.boolean().optional(),
    limit: number.int().min(1).max(100).default(20),
    page: number.int().min(1).max(10_000).default(1),
  }),
  output: z.object({
    items: z.array(
      z.object({
        id: text,
        type: text,
        url: text.optional(),
        thumb_url: text.optional(),
        width: number.optional(),
        height: number.optional(),
        duration: number.optional(),
        favorite: z.boolean(),
        project_id: text.optional(),
        created_at: text.optional(),
      }),
    ),
    page: number,
    more: z.boolean(),
  }),
  annotations: { readOnlyHint: true },
  run: async (given, { client }) => {
    const list = await client.assets.list(given);
    const items = list.data.map((asset) => ({
      id: asset.id,
      type: asset.type,
      url: asset.url ?? undefined,
      thumb_url: asset.thumb_url ?? undefined,
      width: asset.width ?? undefined,
      height: asset.height ?? undefined,
      duration: asset.duration ?? undefined,
      favorite: asset.favorite,
      project_id: asset.project_id ?? undefined,
      created_at: asset.created_at ?? undefined,
    }));
    const lines = items.map(
      ({ id, type, created_at: at, url }) => `- ${id} (${type}, ${at ?? 'undated'}): ${url ?? 'no link'}`,
    );
    return {
      text: [
        `${items.length} items on page ${list.page}${list.hasNextPage() ? ', and more' : ''}`,
        ...lines,
      ].join('\n'),
      data: { items, page: list.page, more: list.hasNextPage() },
    };
  },
});

const imageLimits = { min: 64, max: 1_024, initial: 768 };

export const viewOutput = defineTool({
  name: 'view_output',
  title: 'Look at an output',
  description:
    'Shows you a picture, or a frame of a video, as a small JPEG. It takes room in the context: look only when you have to assess it.',
  input: z.strictObject({
    output_id: text.min(1).max(100),
    max_side: number.int().min(imageLimits.min).max(imageLimits.max).default(imageLimits.initial),
    frame_at: number.min(0).max(100_000).optional().describe('Seconds, of a video'),
  }),
  output: z.object({ output_id: text, url: text, bytes: number }),
  annotations: { readOnlyHint: true },
  run: async ({ output_id: id, max_side: maxSide, frame_at: frameAt }, { client, signal }) => {
    const url = await linkOfImage(client, id, frameAt);
    const bytes = await readSmallImage(client, url, { maxSide, signal });
    if (bytes === undefined)
      return new ToolRefusal(
        'unprocessable',
        'There is no small picture of it.',
        'Give the person its link instead.',
        { url },
      );
    const picture = {
      type: 'image' as const,
      data: Buffer.from(bytes).toString('base64'),
      mimeType: 'image/jpeg',
    };
    return { text: `${id}: ${url}`, data: { output_id: id, url, bytes: bytes.length }, content: [picture] };
  },
});

async function linkOfImage(client: Renderkit, id: string, frameAt: number | undefined): Promise<string> {
  if (frameAt !== undefined) return (await client.videos.createFrame(id, { time: frameAt })).url;
  try {
    const asset: Asset = await client.assets.retrieveImage(id);
    if (asset.url !== null) return asset.url;
    throw new ToolRefusal('unprocessable', 'The picture has no file any more.', 'Look at another one.');
  } catch (error) {
    if (!isNotFound(error)) throw error;
    try {
      return (await client.videos.createFrame(id, { time: 0 })).url;
    } catch (other) {
      // The id may mean a picture or a video. "No such item" is clearer than "no such video".
      throw isNotFound(other) ? error : other;
    }
  }
}

function isNotFound(error: unknown): boolean {
  return RenderkitError.is(error) && error.code === 'not_found';
}

const maxDataCharacters = 200_000;
const dataUrl = /^data:[\w/+.-]+;base64,([A-Za-z0-9+/]+={0,2})$/;

const uploadSchema = z.object({
  id: text,
  type: text,
  status: text,
  width: number.nullable(),
  height: number.nullable(),
});

export const importMedia = defineTool({
  name: 'import_media',
  title: 'Import a file',
  description:
    'Takes in an image, video or audio to be named in creates by its id. Give one of url, data, and, where this server runs beside your files, path.',
  input: z.strictObject({
    url: text.max(2_048).optional().describe('https address'),
    path: text.max(4_096).optional(),
    data: text.max(maxDataCharacters).optional().describe('Base64 data: URL of a small file'),
  }),
  output: uploadSchema,
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  run: async (given, { client, openFile }): Promise<Found<z.infer<typeof uploadSchema>> | ToolRefusal> => {
    const { url, path, data } = given;
    if ([url, path, data].filter((one) => one !== undefined).length !== 1)
      return new ToolRefusal(
        'invalid_request',
        'Exactly one of url, path and data is needed.',
        'Give one of them.',
      );
    const file =
      url !== undefined ? { url } : path !== undefined ? await openPath(path, openFile) : blobOf(data ?? '');
    if (file instanceof ToolRefusal) return file;
    const { id, type, status, width, height } = await client.uploads.create(file);
    return {
      text: `${id} (${type}) is ${status}; it can be named in a create at once.`,
      data: { id, type, status, width, height },
    };
  },
});

async function openPath(path: string, openFile: ((path: string) => Promise<Blob>) | undefined) {
  if (openFile === undefined)
    return new ToolRefusal(
      'invalid_request',
      'This server cannot reach your files.',
      'Give url or data, or ask the person to upload it in the console.',
    );
  try {
    return await openFile(path);
  } catch (error) {
    return new ToolRefusal(
      'invalid_request',
      `The file could not be opened: ${(error as Error).message}`,
      'Check the path.',
    );
  }
}

function blobOf(data: string): Blob | ToolRefusal {
  const encoded = dataUrl.exec(data)?.[1];
  return encoded === undefined
    ? new ToolRefusal('invalid_request', 'data must be a data: URL in base64.', 'Correct it, or give url.')
    : new Blob([Buffer.from(encoded, 'base64')]);
}
