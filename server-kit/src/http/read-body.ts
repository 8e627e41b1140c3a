import type { IncomingMessage, ServerResponse } from 'node:http';

/** The body is larger than the route takes. What is left of it stays unread. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/** The client went away, or fell silent, in the middle of its body. */
export class BodyCutShort extends Error {
  override name = 'BodyCutShort';
}

/**
 * Reads a body of at most `limit` bytes; a longer Content-Length is refused before a byte is read.
 * @throws BodyTooLarge
 * @throws BodyCutShort
 */
export function readBody(request: IncomingMessage, response: ServerResponse, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit)
    return Promise.reject(new BodyTooLarge(`the body is larger than ${limit} bytes`));
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) end(() => reject(new BodyTooLarge(`the body is larger than ${limit} bytes`)));
      else chunks.push(chunk);
    };
    const onEnd = () =>
      end(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)));
    const onCut = (cause?: unknown) =>
      end(() => reject(new BodyCutShort('the body ended too soon', { cause })));
    const end = (settle: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onCut);
      // The listener for errors stays: one without a listener would end the process.
      if (!request.readableEnded) request.pause();
      settle();
    };
    request.on('data', onData).on('end', onEnd).on('close', onCut).on('error', onCut);
  });
}
