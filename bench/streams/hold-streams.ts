// Holds streams of events open from a separate process and reports how long each report took to arrive.

import { connect, type Socket } from 'node:net';
import { serveParent } from '../child.ts';

export type Stream = { id: string; key: string };
export type HoldStreams = { open: { port: number; streams: Stream[] } } | { collect: true };
/** Milliseconds from the studio's report until it arrived: one machine, one clock. */
export type StreamsAnswer = { lateMs: number[]; closed: number };

/** Streams that send their requests at the same time; a listener's backlog is no longer. */
const burst = 100;

const sockets: Socket[] = [];
let lateMs: number[] = [];
let closed = 0;

await serveParent(async () => async (message: HoldStreams) => {
  if ('collect' in message) {
    const answer: StreamsAnswer = { lateMs, closed };
    lateMs = [];
    return answer;
  }
  const { port, streams } = message.open;
  for (let n = 0; n < streams.length; n += burst)
    await Promise.all(streams.slice(n, n + burst).map((stream) => open(port, stream)));
  return undefined;
});

/** Resolves at the first event. */
function open(port: number, { id, key }: Stream): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.setEncoding('latin1');
  socket.write(
    `GET /v1/generations/${id}/events?preview=none HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\n\r\n`,
  );
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => closed++);
    socket.on('data', (text: string) => {
      const now = Math.round(performance.timeOrigin + performance.now()) % 1e9;
      if (text.includes('event: generation')) resolve();
      if (text.startsWith('HTTP/1.1') && !text.startsWith('HTTP/1.1 200'))
        reject(new Error(text.slice(0, 500)));
      for (const [, step] of text.matchAll(/"step":(\d+)/g)) lateMs.push(now - Number(step));
    });
  });
}
