import type { IncomingMessage } from 'node:http';
import { maxImportBytes } from '@renderkit/contract/studio/administration/models.ts';
import { type Pace, pacedBody, SenderLost } from '@renderkit/server-kit/http/paced-body.ts';
import { exemptFromRequestTimeout } from '@renderkit/server-kit/http/request-body.ts';
import { StudioError } from '../errors.ts';

const pace: Pace = { minBytesPerSecond: 64 * 1024, windowMs: 30_000 };

/**
 * Receives an imported file, whole in memory, because its parts are read at any position. There is only one at a time.
 * @throws StudioError `too_large`, or `invalid_request` if it came too slowly
 */
export async function receiveImport(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxImportBytes) throw tooLarge();
  using _ = exemptFromRequestTimeout(request);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of pacedBody(request, pace)) {
      bytes += chunk.length;
      if (bytes > maxImportBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (!(error instanceof SenderLost)) throw error;
    throw new StudioError('invalid_request', 'The file did not come whole.', { cause: error });
  }
  return Buffer.concat(chunks, bytes);
}

function tooLarge(): StudioError {
  return new StudioError('too_large', `The file has more than ${maxImportBytes / 1024 / 1024} MB.`);
}
