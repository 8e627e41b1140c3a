import type { Readable } from 'node:stream';
import { ChunkCounter } from './request-body.ts';

/** Bytes that may be buffered, so that the socket is not stopped and started again for each chunk. */
const aheadBytes = 256 * 1024;

/**
 * Returns the chunks of a stream, reading a few of them ahead of the caller. When the caller stops reading, the stream
 * stays as it is, with only those few chunks read. `next` fails when the stream fails or is closed before its end.
 */
export function readAhead(source: Readable): AsyncIterator<Buffer, void> {
  const ready: Buffer[] = [];
  let bytes = 0;
  let over: { failure?: Error } | undefined;
  let notify: () => void = () => undefined;
  const pieces = new ChunkCounter();
  const end = (failure?: Error) => {
    over ??= failure === undefined ? {} : { failure };
    notify();
  };
  const onData = (chunk: Buffer) => {
    ready.push(chunk);
    bytes += chunk.length;
    if (bytes >= aheadBytes) source.pause();
    if (pieces.add(chunk.length)) return notify();
    source.off('data', onData).pause();
    ready.length = 0;
    end(new Error('the stream comes in too many pieces'));
  };
  if (source.destroyed) end(new Error('the stream is closed'));
  else
    source
      .on('data', onData)
      .once('end', () => end())
      .once('close', () => end(new Error('the stream was closed before its end')))
      // This listener stays: without a listener, an error would end the process.
      .on('error', end);
  return {
    next: async () => {
      if (ready.length === 0 && over === undefined)
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      const chunk = ready.shift();
      if (chunk !== undefined) {
        bytes -= chunk.length;
        if (bytes < aheadBytes / 2 && over === undefined && source.isPaused()) source.resume();
        return { done: false, value: chunk };
      }
      if (over?.failure !== undefined) throw over.failure;
      return { done: true, value: undefined };
    },
  };
}
