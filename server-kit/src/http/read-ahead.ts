import type { Readable } from 'node:stream';
import { ChunkCounter } from './request-body.ts';

/** Bytes that may lie ready: so the socket need not be stopped and started again for each chunk that it brings. */
const aheadBytes = 256 * 1024;

/**
 * The chunks of a stream as they came, a few of them ahead of whoever reads. Who stops reading leaves the stream as it is,
 * no more than those few read. `next` fails where the stream breaks or is closed before its end.
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
      // This listener stays: an error without one would end the process.
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
