import { open, type FileHandle } from 'node:fs/promises';
import { createEgress, type Egress } from '@renderkit/egress/guarded-fetch.ts';
import type { EgressFailureKind } from '@renderkit/egress/egress-refusal.ts';
import { parseCidrs } from '@renderkit/egress/public-address.ts';
import { redirectOf, type BackendHttp } from './backend-http.ts';
import { EngineFailure, type BackendAccess } from './driver.ts';
import type { BackendAnswer } from './http-exchange.ts';

/** Milliseconds for one file. */
const totalMs = 10 * 60_000;
/** A slower download is given up. */
const minBytesPerSecond = 4 * 1024;
const maxRedirects = 3;
/** Temporary failures of a request: the host is away or slow. */
const passing: ReadonlySet<EgressFailureKind> = new Set([
  'dns',
  'refused',
  'timeout',
  'too_slow',
  'protocol',
]);
const busy: ReadonlySet<number> = new Set([408, 425, 429]);
/** How often an interrupted download from the backend's own origin is continued. */
const maxContinuations = 3;

/** `result-files.ts` and `engines/comfyui/src/results.ts` set the maximum size. */
export interface Download {
  /** Overwritten if it exists. */
  readonly path: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Downloads results from addresses that an engine named. */
export interface Downloads extends AsyncDisposable {
  /**
   * Saves the file of an address. On the backend's own origin, or at a path below its address, this uses the backend's
   * key and continues an interrupted download by ranges. All other addresses go through the guard on outgoing requests,
   * without any key. `studio/src/renders/collect-job.ts` decides whether to fetch a file again.
   * @throws EngineFailure `badResult` where the file cannot be downloaded, with `away` where a later try may succeed.
   * Blame is `render` where the guard refuses the address, because another try would not help. No message contains the
   * address. The signal's reason
   */
  save(address: string, download: Download): Promise<void>;
}

/** Creates the guard on requests to addresses that a provider names. */
export function createBackendEgress({ egressAllow }: BackendAccess): Egress {
  return createEgress({ allow: parseCidrs(egressAllow.join(',')) });
}

/** Creates downloads for one backend; `http` reaches the backend's own origin. */
export function createDownloads(access: BackendAccess, http: BackendHttp): Downloads {
  const egress = createBackendEgress(access);

  async function saveForeign(address: string, { path, maxBytes, signal }: Download): Promise<void> {
    await using file = await open(path, 'w');
    const result = await egress.request({
      method: 'GET',
      url: address,
      totalTimeoutMs: totalMs,
      maxResponseBytes: maxBytes,
      whenLarger: 'refuse',
      maxRedirects,
      minBytesPerSecond,
      onBody: (chunk) => writeAll(file, chunk),
      signal,
    });
    signal.throwIfAborted();
    if (!result.ok && result.kind === 'blocked') throw refused(http.backend);
    if (!result.ok)
      throw unusable(http.backend, `could not be fetched (${result.kind})`, {
        away: passing.has(result.kind),
      });
    if (result.status !== 200) throw answeredWith(http.backend, result.status);
  }

  return {
    async save(address, download) {
      if (!address.startsWith('/') && !http.isOwn(address)) return saveForeign(address, download);
      const answer = await saveOwn(http, address, download);
      if (answer.status === 200 || answer.status === 206) return;
      const next = redirectOf(answer, new URL(address, http.origin).href);
      if (next === null) throw answeredWith(http.backend, answer.status);
      await saveForeign(next, download);
    },
    [Symbol.asyncDispose]: () => egress[Symbol.asyncDispose](),
  };
}

/**
 * Saves a file from a path below the backend's address, or from an address on its own origin. Returns the last answer:
 * if its status is a success, the file is complete. @throws EngineFailure `badResult` where the download keeps breaking
 * off; the signal's reason
 */
export async function saveOwn(
  http: BackendHttp,
  to: string,
  { path, maxBytes, signal }: Download,
): Promise<BackendAnswer> {
  await using file = await open(path, 'w');
  let written = 0;
  let etag: string | undefined;
  for (let continuations = 0; ; continuations += 1) {
    let hasBegun = false;
    try {
      return await http.send({
        to,
        headers: { 'accept-encoding': 'identity', ...rangeFrom(written, etag) },
        maxBytes: maxBytes - written,
        signal,
        onBody: async (chunk, answer) => {
          if (!hasBegun) written = await beginAt(answer, written);
          hasBegun = true;
          await writeAll(file, chunk, written);
          written += chunk.length;
        },
      });
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.badResult) throw error;
      if (continuations === maxContinuations)
        throw unusable(http.backend, 'keeps breaking off', { away: true, cause: error });
    }
  }

  async function beginAt(answer: BackendAnswer, wanted: number): Promise<number> {
    const tag = answer.headers['etag'];
    etag = typeof tag === 'string' && !tag.startsWith('W/') ? tag : undefined;
    const range = answer.headers['content-range'];
    if (answer.status === 206 && String(range).startsWith(`bytes ${wanted}-`)) return wanted;
    if (answer.status === 206) throw unusable(http.backend, 'is answered with another range');
    await file.truncate(0);
    return 0;
  }
}

function rangeFrom(written: number, etag: string | undefined): Record<string, string> {
  if (written === 0) return {};
  return { range: `bytes=${written}-`, ...(etag !== undefined && { 'if-range': etag }) };
}

async function writeAll(file: FileHandle, chunk: Buffer, position: number | null = null): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    const at = position === null ? null : position + done;
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, at);
    done += bytesWritten;
  }
}

/** Creates the failure for a useless result, or (`away`) for a result that is temporarily out of reach. */
export function unusable(
  backend: string,
  what: string,
  more: { away?: boolean; cause?: unknown } = {},
): EngineFailure {
  return new EngineFailure(`A result of ${backend} ${what}.`, {
    blame: 'backend',
    code: 'render_failed',
    badResult: true,
    ...more,
  });
}

function answeredWith(backend: string, status: number): EngineFailure {
  const away = status >= 500 || busy.has(status);
  return unusable(backend, `is answered with ${status}`, { away });
}

function refused(backend: string): EngineFailure {
  return new EngineFailure(`A result of ${backend} lies at an address that may not be reached.`, {
    blame: 'render',
    code: 'render_failed',
  });
}
