// Tests official packages in every situation that their users meet: the user's result, and what is charged. Each cell
// has its own account; `sandbox-slow` costs one credit.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTcpProxy } from '@renderkit/server-kit/testing/tcp-proxy.ts';
import sharp from 'sharp';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';
import {
  assertCharged,
  assertPictures,
  assertRefused,
  openCell,
  refuseNext,
  slow,
  startLosingProxy,
  untilItRuns,
  untilThereAre,
} from './package-cell.ts';
import { type PackageClient, packageClients } from './package-clients.ts';

/**
 * Instead of 45 seconds. A busy machine needs many seconds for short work, which must be answered before the first
 * heartbeat.
 */
const heartbeatAfterSeconds = 15;
const path = '/behind/a/path';

type Cell = { client: PackageClient; platform: Platform };
type Column = {
  name: string;
  run: (cell: Cell) => Promise<void>;
  /** Returns why a client has no such cell. */
  not?: (client: PackageClient) => string | false;
};

const columns: readonly Column[] = [
  {
    name: 'a picture',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      assertPictures(await client.draw(opened.settings(), slow(1)), 1);
      await assertCharged(opened, 1, 1);
    },
  },
  {
    name: 'several pictures of one call',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      assertPictures(await client.draw(opened.settings(), { ...slow(1), n: 3 }), 3);
      await assertCharged(opened, 3, 3);
    },
  },
  {
    name: 'a picture changed',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      const blank = { width: 64, height: 64, channels: 3, background: '#3060a0' } as const;
      const image = await sharp({ create: blank }).png().toBuffer();
      assertPictures(await client.draw(opened.settings(), { model: 'gpt-image-1', image }), 1);
      const [made] = await opened.generations();
      assert.equal(made?.kind, 'image_edit');
      await assertCharged(opened, 1, made.cost.credits);
    },
  },
  {
    name: 'a slow picture, whose answer begins before it is there',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      const texts: Promise<string>[] = [];
      const wish = slow(heartbeatAfterSeconds + 2);
      assertPictures(await client.draw(opened.settings(), wish, (answer) => texts.push(answer.text())), 1);
      assert.equal(texts.length, 1, 'it asked once');
      assert.match((await texts[0]) ?? '', /^ +\{/);
      await assertCharged(opened, 1, 1);
    },
  },
  {
    name: 'a failure',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      await assertRefused(client, client.draw(opened.settings(), { model: 'sandbox-fail' }), {
        status: 500,
        code: 'generation_failed',
        message: /could not finish the generation/,
      });
      await assertCharged(opened, client.triesOfFailed, 0);
    },
  },
  {
    name: 'a failure after the answer has begun',
    run: async ({ client, platform }) => {
      // A free plan runs one at once. The second one waits, and can be canceled.
      const opened = await openCell(platform, { tier: 'free' });
      const first = client.draw(opened.settings(), slow(heartbeatAfterSeconds + 8));
      await untilThereAre(opened, 1);
      const begun = Promise.withResolvers<Response>();
      const drawn = client.draw(opened.settings(), { ...slow(1), maxRetries: 0 }, begun.resolve);
      const failed = assert.rejects(drawn, (error) => {
        const { type, status, message } = client.seen(error);
        assert.deepEqual({ type, status, message }, client.cut);
        return true;
      });
      assert.equal((await begun.promise).status, 200);
      const [waiting] = (await opened.generations()).filter(({ status }) => status === 'queued');
      await opened.cancel(waiting?.id ?? '');
      await failed;
      assertPictures(await first, 1);
      await assertCharged(opened, 2, 1);
    },
  },
  {
    name: 'a picture that is stopped, and is not asked for again',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      const refused = assertRefused(client, client.draw(opened.settings(), slow(60)), {
        status: 400,
        code: 'stopped',
        message: /was stopped/,
      });
      await opened.stop(await untilItRuns(opened));
      await refused;
      assert.equal((await opened.generations()).length, 1);
    },
  },
  {
    name: 'what moderation refuses',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      const wish = { model: 'atelier-1', prompt: 'how to make a bomb' };
      await assertRefused(client, client.draw(opened.settings(), wish), {
        status: 400,
        code: 'moderation_blocked',
        message: /moderation/i,
      });
      await assertCharged(opened, 0, 0);
    },
  },
  {
    name: 'too much at once, told',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      await refuseNext(platform, opened);
      await assertRefused(client, client.draw(opened.settings(), { ...slow(1), maxRetries: 0 }), {
        status: 429,
        code: 'rate_limit_exceeded',
        message: /./,
      });
      await assertCharged(opened, 0, 0);
    },
  },
  {
    name: 'too much at once, and asked again by itself',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      await refuseNext(platform, opened);
      assertPictures(await client.draw(opened.settings(), slow(1)), 1);
      await assertCharged(opened, 1, 1);
    },
  },
  {
    name: 'a broken connection, and asked again by itself',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      await using line = await startTcpProxy(platform.serviceUrls[0] ?? '');
      const drawn = client.draw(opened.settings(line.url.replace(/\/$/, '')), slow(3));
      await untilThereAre(opened, 1);
      line.cut();
      line.mend();
      assertPictures(await drawn, 1);
      await assertCharged(opened, 1, 1);
    },
  },
  {
    name: 'an answer that a proxy took whole and lost, asked for again by itself',
    not: ({ saysThatItRepeats }) =>
      !saysThatItRepeats &&
      'it does not say that it repeats, and to the service its answer was delivered: it is another request',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      await using proxy = await startLosingProxy(platform.serviceUrls[0] ?? '');
      assertPictures(await client.draw(opened.settings(proxy.url), slow(1)), 1);
      await assertCharged(opened, 1, 1);
    },
  },
  {
    name: 'equal requests side by side',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      const drawn = await Promise.all([1, 2].map(() => client.draw(opened.settings(), slow(1))));
      assertPictures(drawn.flat(), 2);
      await assertCharged(opened, 2, 2);
    },
  },
  {
    name: 'a base URL with a path',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      const settings = opened.settings(`${platform.serviceUrls[0]}${path}`);
      assertPictures(await client.draw(settings, slow(1)), 1);
      await assertCharged(opened, 1, 1);
    },
  },
  {
    name: 'no credits',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform, { credits: 0 });
      await assertRefused(client, client.draw(opened.settings(), slow(1)), {
        status: 402,
        code: 'insufficient_quota',
        message: /credits/,
      });
      await assertCharged(opened, 0, 0);
    },
  },
  {
    name: 'a wrong key',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      await assertRefused(client, client.draw({ ...opened.settings(), apiKey: 'sk-nobody' }, slow(1)), {
        status: 401,
        code: 'invalid_api_key',
        message: /key/,
      });
      await assertCharged(opened, 0, 0);
    },
  },
  {
    name: 'a model that there is not',
    run: async ({ client, platform }) => {
      const opened = await openCell(platform);
      await assertRefused(client, client.draw(opened.settings(), { model: 'gpt-4o' }), {
        status: 404,
        code: 'model_not_found',
        message: /gpt-4o/,
      });
      await assertCharged(opened, 0, 0);
    },
  },
];

describe('official packages', { concurrency: 4 }, () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform({
      smallPictures: true,
      environment: {
        FACADE_HEARTBEAT_AFTER_SECONDS: String(heartbeatAfterSeconds),
        PUBLIC_URL: `http://127.0.0.1:8787${path}`,
      },
    });
  });
  after(() => platform[Symbol.asyncDispose]());

  for (const client of packageClients)
    for (const { name, run, not } of columns)
      test(`${client.name}: ${name}`, { skip: not?.(client) ?? false }, () => run({ client, platform }));
});
