// The baseline: undici alone, which posts the same body to the same receiver.

import { Pool } from 'undici';
import { serveParent } from '../child.ts';

export type BarePosts = { origin: string; path: string; body: string; concurrency: number; seconds: number };

await serveParent(async () => async (load: BarePosts): Promise<number> => {
  const pool = new Pool(load.origin, { connections: load.concurrency });
  const deadline = performance.now() + load.seconds * 1000;
  let answers = 0;
  const post = async () => {
    while (performance.now() < deadline) {
      const { body, statusCode } = await pool.request({
        method: 'POST',
        path: load.path,
        headers: { 'content-type': 'application/json' },
        body: load.body,
      });
      await body.dump();
      if (statusCode !== 204) throw new Error(`a post was answered ${statusCode}`);
      answers++;
    }
  };
  await Promise.all(Array.from({ length: load.concurrency }, post));
  await pool.close();
  return answers / load.seconds;
});
