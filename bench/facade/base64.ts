import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { freePort, originOf } from '../platform.ts';
import { boundResult } from '../present.ts';
import type { EncodePictures, EncodeTask } from './encode-pictures.ts';

/** The number that one process encodes in parallel. */
const pictures = 32;
/** Time until memory is stable. */
const restMs = 2_000;
const goalKilobytes = 200;
const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

/**
 * Measures the memory for base64 of pictures of 4 MB: that many answers are begun, and their readers stop reading.
 * Memory in use is counted after a garbage collection, because resident memory of a whole service varies by more from
 * one second to the next.
 */
export async function base64(bench: Bench): Promise<Result[]> {
  await using owners = new AsyncDisposableStack();
  const studioPort = await freePort();
  owners.use(await startChild(file('../polls/scripted-studio.ts'), { port: studioPort }));
  const encoder = owners.use(
    await startChild(file('encode-pictures.ts'), {
      studioUrl: originOf(studioPort),
    } satisfies EncodePictures),
  );
  const url = originOf(await encoder.ask<number>('port' satisfies EncodeTask));
  const used = () => encoder.ask<number>('bytes' satisfies EncodeTask);
  // The first requests compile the code.
  for (let n = 0; n < 3; n++) await readAll(await begin(url));
  await sleep(restMs);
  const before = await used();
  const answers = await begin(url);
  await sleep(restMs);
  const kilobytes = ((await used()) - before) / 1_000 / pictures;
  await readAll(answers);
  await sleep(restMs);
  bench.say(
    `  ${(before / 1_000).toFixed(0)} kB in use before, ${((await used()) / 1_000).toFixed(0)} kB once all are read`,
  );
  return [
    boundResult({
      name: 'facade, base64 memory',
      ours: `${kilobytes.toFixed(0)} kB for each of ${pictures} pictures of 4 MB`,
      goal: `${goalKilobytes} kB or less`,
      met: kilobytes <= goalKilobytes,
    }),
  ];
}

function begin(url: string): Promise<IncomingMessage[]> {
  return Promise.all(
    Array.from({ length: pictures }, async () => {
      const [answer] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
      if (answer.statusCode !== 200) throw new Error(`a request was answered ${answer.statusCode}`);
      return answer;
    }),
  );
}

async function readAll(answers: readonly IncomingMessage[]): Promise<void> {
  for (const answer of answers) {
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) bytes += chunk.length;
    if (bytes < 5_000_000) throw new Error(`an answer has ${bytes} bytes`);
  }
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
