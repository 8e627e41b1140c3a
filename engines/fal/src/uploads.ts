import { readFile } from 'node:fs/promises';
import { readObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { createBackendEgress } from '@renderkit/engine-kit/download.ts';
import { EngineFailure, type BackendAccess, type PreparedMedia } from '@renderkit/engine-kit/driver.ts';

/** Media up to this size are part of the call, as data URIs. `driver.ts` uploads larger ones. */
export const maxInlineBytes = 5_000_000;
/** Larger files would need fal's upload in parts. */
const maxUploadBytes = 90 * 1024 * 1024;
const uploadMs = 5 * 60_000;

export interface Uploads extends AsyncDisposable {
  /** Uploads a file to fal's storage; returns its address there. @throws EngineFailure */
  upload(file: PreparedMedia, signal: AbortSignal): Promise<string>;
}

/** Creates uploads; disposing them also disposes `http`. */
export function createUploads(access: BackendAccess, http: BackendHttp): Uploads {
  const egress = createBackendEgress(access);
  return {
    async upload(file, signal) {
      if (file.sizeBytes > maxUploadBytes) {
        throw new EngineFailure(`A file of ${file.sizeBytes} bytes is too large for ${http.backend}.`, {
          blame: 'pair',
          code: 'render_failed',
          tooLarge: true,
        });
      }
      const doing = 'asked for an upload';
      const answer = await http.send({
        method: 'POST',
        to: '/storage/upload/initiate?storage_type=fal-cdn-v3',
        json: { content_type: file.contentType, file_name: nameOf(file) },
        signal,
      });
      const { upload_url: to, file_url: address } = readObject(http, answer, doing);
      if (typeof to !== 'string' || typeof address !== 'string') throw failed(http, 'named no address');
      // fal names the address, so it is as untrusted as the address of a result, and gets no key.
      const result = await egress.request({
        method: 'PUT',
        url: to,
        headers: { 'content-type': file.contentType },
        body: await readFile(file.path, { signal }),
        totalTimeoutMs: uploadMs,
        maxResponseBytes: 65_536,
        whenLarger: 'cut',
        signal,
      });
      signal.throwIfAborted();
      if (!result.ok) throw failed(http, `did not take a file (${result.kind})`);
      if (result.status >= 300) throw failed(http, `did not take a file (${result.status})`);
      return address;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([egress[Symbol.asyncDispose](), http[Symbol.asyncDispose]()]);
    },
  };
}

function nameOf({ sha256, contentType }: PreparedMedia): string {
  return `${sha256}.${contentType.split('/')[1]}`;
}

function failed(http: BackendHttp, what: string): EngineFailure {
  return new EngineFailure(`The storage of ${http.backend} ${what}.`, {
    blame: 'backend',
    code: 'engine_unavailable',
    sent: 'no',
  });
}
