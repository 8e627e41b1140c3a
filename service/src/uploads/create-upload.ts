import {
  maxAudioBytes,
  maxImageBytes,
  maxVideoBytes,
  uploadFetchSeconds,
} from '@renderkit/contract/v1/limits.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { EgressRefusal, publicMessage } from '@renderkit/egress/egress-refusal.ts';
import type { Egress } from '@renderkit/egress/guarded-fetch.ts';
import { type TargetOptions, validateTarget } from '@renderkit/egress/validate-target.ts';
import { type Pace, pacedBody, SenderLost } from '@renderkit/server-kit/http/paced-body.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { translated } from '../studio-client/translate-error.ts';
import { fetchFile, FetchFailed } from './fetch-file.ts';
import { fileIssue, noSuchProject, refusedFile, tooLarge } from './file-issues.ts';
import { presentUpload } from './present.ts';
import { brokenForm, type FormParts, openForm } from './read-form.ts';
import { NoSuchProject, type SendFile, type Sent } from './send-file.ts';

/**
 * The largest size of any file, in bytes. The studio's limit for a kind of file may be lower
 * (`media-kit/src/file-limits.ts`).
 */
export const maxFileBytes = Math.max(maxImageBytes, maxVideoBytes, maxAudioBytes);
// A little stricter than the studio's pace, so that the client gets the service's error.
const formPace: Pace = { minBytesPerSecond: 256 * 1024, windowMs: 10_000 };

/** Largest size of a form without its file: the heads of two parts, their boundaries and a project's id. */
const maxFormFrameBytes = 32 * 1024;

export type CreateUploadOptions = {
  sendFile: SendFile;
  /** Applies at once what the studio already knows when it stores a file. */
  settleStored: (accountId: string, upload: Extract<Sent, { outcome: 'stored' }>['upload']) => void;
  egress: Egress;
  /** Which addresses may be fetched from. */
  target: TargetOptions;
  log: Logger;
  /** Aborts running transfers. */
  stopping: AbortSignal;
  /** For tests: another pace for clients. */
  pace?: Pace | undefined;
};

export type CreateUpload = {
  fromForm: (upload: {
    accountId: string;
    parts: FormParts;
    /** Bytes of the whole form, if the client sent this number. */
    contentLength: number | undefined;
    signal: AbortSignal;
  }) => Promise<Upload>;
  fromUrl: (upload: {
    accountId: string;
    url: string;
    projectId: string | undefined;
    signal: AbortSignal;
  }) => Promise<Upload>;
};

/**
 * Returns the use cases of `POST /v1/uploads` (docs/api.md §4): a file that the client sends, or one fetched from an
 * address. The studio decides whether it accepts the file: `studio/src/uploads/store-upload.ts`.
 */
export function createUploads(options: CreateUploadOptions): CreateUpload {
  const { sendFile } = options;
  const stored = (accountId: string, sent: Sent, problemOf: (issue: string) => ApiProblem): Upload => {
    if (sent.outcome === 'refused') throw refusedFile(sent);
    if (sent.outcome === 'unusable') throw problemOf(fileIssue(sent.reason));
    options.settleStored(accountId, sent.upload);
    return presentUpload(sent.row);
  };
  return {
    fromForm: async ({ accountId, parts, contentLength, signal }) => {
      const form = await openForm(parts);
      const sent = await translated(
        sendFile({
          accountId,
          hidden: false,
          fileName: form.fileName,
          projectId: form.projectId,
          minBytes: Math.max(0, (contentLength ?? 0) - maxFormFrameBytes),
          signal,
          body: () => bounded(pacedBody(form.file, options.pace ?? formPace)),
          projectAfter: form.finish,
        }),
      ).catch((error: unknown) => {
        if (error instanceof NoSuchProject) throw noSuchProject();
        throw error instanceof SenderLost ? brokenForm(error) : error;
      });
      return stored(accountId, sent, (issue) => invalid('file', issue));
    },
    fromUrl: async ({ accountId, url, projectId, signal }) => {
      await validateAddress(url, options.target, 'url');
      try {
        await using file = await fetchFile(options.egress, {
          url,
          totalTimeoutMs: uploadFetchSeconds * 1_000,
          maxBytes: maxFileBytes,
          signal: AbortSignal.any([options.stopping, signal]),
        });
        const fileName = fileNameOf(url);
        const { body, minBytes } = file;
        const send = sendFile({ accountId, hidden: false, fileName, projectId, minBytes, signal, body });
        return stored(accountId, await translated(send), (issue) => unusable(`The file ${issue}.`, issue));
      } catch (error) {
        if (!(error instanceof FetchFailed)) throw error;
        if (options.stopping.aborted) throw stoppingNow();
        options.log.info({ accountId, kind: error.kind }, 'an address gave no file');
        throw unusable(publicMessage, publicMessage, error);
      }
    },
  };
}

/**
 * Checks that an address may lead to a file: its form, and for http whether its name resolves into a listed network.
 * @throws ApiProblem invalid_request
 */
export async function validateAddress(url: string, target: TargetOptions, field: string): Promise<void> {
  try {
    await validateTarget(url, { ...target, lookUp: 'where needed' });
  } catch (error) {
    if (!(error instanceof EgressRefusal)) throw error;
    // The message names faults in the client's text. For an address that is not public it reveals no more than for any
    // failure.
    const message = error.issue === 'address' ? publicMessage : error.message;
    throw new ApiProblem('invalid_request', { errors: [{ field, message }], cause: error });
  }
}

/** Returns the last part of an address's path, decoded. */
export function fileNameOf(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return undefined;
  }
}

async function* bounded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxFileBytes) throw invalid('file', tooLarge);
    yield chunk;
  }
}

function stoppingNow(): ApiProblem {
  return new ApiProblem('upstream_unavailable', {
    detail: 'The service is being restarted.',
    retryAfterSeconds: 1,
  });
}

function invalid(field: string, message: string): ApiProblem {
  return new ApiProblem('invalid_request', { errors: [{ field, message }] });
}

function unusable(detail: string, message: string, cause?: unknown): ApiProblem {
  return new ApiProblem('unprocessable', { detail, errors: [{ field: 'url', message }], cause });
}
