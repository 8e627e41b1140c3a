// Answers with base64 of a picture, as the service's facade does, in a separate process, and reports the memory in use.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HeldAnswer, jsonForm } from '@renderkit/service/facades/kept-alive-answer.ts';
import { OutputMedia } from '@renderkit/service/facades/output-media.ts';
import { serveParent } from '../child.ts';

export type EncodePictures = { studioUrl: string };
export type EncodeTask = 'port' | 'bytes';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** `port`: where it listens. `bytes`: the memory in use after garbage collection. */
await serveParent(async ({ studioUrl }: EncodePictures) => {
  const media = new OutputMedia({ studioUrl, publicUrl: 'http://127.0.0.1' });
  const server = createServer((_request, response) => {
    const answer = new HeldAnswer(response, {
      form: jsonForm,
      heartbeat: { afterMs: 0, everyMs: 0 },
      headers: () => ({}),
    });
    void answer.send(media.base64(`${studioUrl}/media/0/picture.png`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return async (task: EncodeTask) => {
    if (task === 'port') return (server.address() as AddressInfo).port;
    // The first collection frees some memory concurrently, which may hold on to more: so it collects three times.
    for (let n = 0; n < 3; n++) {
      collect();
      await sleep(100);
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
});
