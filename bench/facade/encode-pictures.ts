// Answers with base64 of a picture as the doors do, in a process of its own, and tells what memory is in use.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HeldAnswer, jsonForm } from '@renderkit/service/facades/held-answer.ts';
import { OutputMedia } from '@renderkit/service/facades/output-media.ts';
import { serveParent } from '../child.ts';

export type EncodePictures = { studioUrl: string };
export type EncodeTask = 'port' | 'bytes';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** `port`: where it listens. `bytes`: what is in use once all that nobody needs is gone. */
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
    // What the first one finds is freed beside what runs, and may hold on to more.
    for (let n = 0; n < 3; n++) {
      collect();
      await sleep(100);
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
});
