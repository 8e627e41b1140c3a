import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { StoreUploadAnswer, StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';

/** The only project that the studio does not have. */
export const unknownProject = 'prj_unknown';

/** A file that the scripted studio accepted. */
export type StoredFile = { upload: StudioUpload; hidden: boolean; sha256: string };

export type ScriptedUploads = {
  files: Map<string, StoredFile>;
  /** Tokens that were deleted. */
  deleted: string[];
  /** The results of the next files instead of storing them. */
  next: Exclude<StoreUploadAnswer, { outcome: 'stored' }>[];
};

export function createScriptedUploads(): ScriptedUploads {
  return { files: new Map(), deleted: [], next: [] };
}

/** Answers as a studio that accepts every file as a picture; `undefined` for other operations. */
export async function answerOfUploads(
  { files, deleted, next }: ScriptedUploads,
  operation: string,
  request: IncomingMessage,
  body: string,
): Promise<{ status?: number; json: unknown } | undefined> {
  const url = new URL(request.url ?? '', 'http://studio');
  const token = /uploads\/([^/]+)$/.exec(url.pathname)?.[1] ?? '';
  switch (operation) {
    case 'storeUpload': {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of request as AsyncIterable<Buffer>) {
        hash.update(chunk);
        size += chunk.length;
      }
      const answer = next.shift();
      if (answer !== undefined) return { json: answer };
      const upload = exampleUpload(token, {
        file_name: url.searchParams.get('file_name') ?? 'file.png',
        project_id: url.searchParams.get('project_id'),
        size_bytes: size,
      });
      const hidden = url.searchParams.get('hidden') === 'true';
      files.set(token, { upload, hidden, sha256: hash.digest('hex') });
      return { json: { outcome: 'stored', upload } satisfies StoreUploadAnswer };
    }
    case 'lookUpUploads': {
      const { tokens } = JSON.parse(body) as { tokens: string[] };
      return { json: { uploads: tokens.flatMap((one) => files.get(one)?.upload ?? []) } };
    }
    case 'moveUpload': {
      const moved = files.get(url.pathname.split('/').at(-2) ?? '')?.upload;
      const { project_id: project } = JSON.parse(body) as { project_id: string };
      if (moved === undefined || project === unknownProject)
        return { status: 404, json: { code: 'not_found', message: 'nothing here' } };
      return { json: Object.assign(moved, { project_id: project }) };
    }
    case 'deleteUpload':
      deleted.push(token);
      files.delete(token);
      return { json: { deleted: true } };
    default:
      return undefined;
  }
}

export function exampleUpload(token: string, more: Partial<StudioUpload> = {}): StudioUpload {
  return {
    token,
    type: 'image',
    status: 'processing',
    url: 'https://studio.example/media/u7/lake.png',
    file_name: 'lake.png',
    content_type: 'image/png',
    size_bytes: 8,
    width: 64,
    height: 64,
    duration_seconds: null,
    project_id: null,
    error: null,
    created_at: '2026-11-21T09:30:00.000Z',
    ...more,
  };
}
