// Official packages before two services, of which one is killed: all packages at once, so that one kill serves them all.

import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBalancer } from '@renderkit/stack/testing/balancer.ts';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';
import { assertCharged, assertPictures, openCell, slow, untilThereAre } from './package-cell.ts';
import { type OnAnswer, type PackageClient, packageClients } from './package-clients.ts';

/** In place of 45 seconds. No answer begins until all packages have asked and the service is killed, on a busy machine too. */
const heartbeatAfterSeconds = 12;
/** As long as the model can take: `drawOnceAdopted` ends it. */
const secondsUnderWay = 300;

describe('official packages over two services', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform({
      services: 2,
      environment: { FACADE_HEARTBEAT_AFTER_SECONDS: String(heartbeatAfterSeconds) },
    });
  });
  after(() => platform[Symbol.asyncDispose]());

  /** A package before both services. Its first connection leads to the first, whose end the second is asked about. */
  async function openClient(owned: AsyncDisposableStack, client: PackageClient) {
    const ports = platform.serviceUrls.map((url) => Number(new URL(url).port));
    const opened = await openCell(platform, { reader: 1 });
    const front = owned.use(await startBalancer(ports));
    const draw = (seconds: number, onAnswer?: OnAnswer) => {
      const drawn = client.draw(opened.settings(`http://127.0.0.1:${front.port}`), slow(seconds), onAnswer);
      // Looked at once the service is dead.
      drawn.catch(() => undefined);
      return drawn;
    };
    return { client, opened, draw };
  }
  type Client = Awaited<ReturnType<typeof openClient>>;

  /** Has what an account asked for drawn once the second service has adopted it, so that it was under way until then. */
  async function drawOnceAdopted({ account }: Client['opened'], drawn: Promise<unknown>): Promise<void> {
    const { service, studio } = platform.databases;
    const ended = new AbortController();
    const end = () => ended.abort();
    drawn.then(end, end);
    const adopted = `select f.id from facade_calls f join accounts a on a.id = f.account_id
                      where a.email = $1 and f.adoptions > 0`;
    while (!ended.signal.aborted && (await service.rows(adopted, [account.email])).length === 0)
      await sleep(50);
    // What the killed service had not sent yet reaches the studio once its lease of the job has lapsed.
    const drawNow = `update renders set not_before = null where account_id = $1 and status = 'queued' returning id`;
    while (!ended.signal.aborted && (await studio.rows(drawNow, [account.studioAccountId])).length === 0)
      await sleep(50);
  }

  /** Kills the first service when all have something under way there, and looks what each then gets. */
  async function killUnder<UnderWay>(
    t: TestContext,
    begin: (client: Client) => Promise<UnderWay>,
    look: (client: Client, underWay: UnderWay) => Promise<void>,
    /** Looked at as soon as it is killed, for all. */
    atKill?: (underWay: UnderWay) => void,
  ): Promise<void> {
    await using owned = new AsyncDisposableStack();
    const clients = await Promise.all(packageClients.map((client) => openClient(owned, client)));
    const begun = await Promise.all(
      clients.map(async (client) => ({ client, underWay: await begin(client) })),
    );
    await platform.services[0]?.kill();
    try {
      for (const { underWay } of begun) atKill?.(underWay);
      await Promise.all(
        begun.map(({ client, underWay }) => t.test(client.client.name, () => look(client, underWay))),
      );
    } finally {
      await platform.services[0]?.start();
    }
  }

  test('its service is killed, and it asks the other one by itself', { concurrency: true }, (t) =>
    killUnder(
      t,
      async ({ opened, draw }) => {
        let answers = 0;
        const drawn = draw(secondsUnderWay, () => answers++);
        await untilThereAre(opened, 1);
        return { drawn, begun: () => answers > 0 };
      },
      async ({ opened }, { drawn }) => {
        await drawOnceAdopted(opened, drawn);
        assertPictures(await drawn, 1);
        await assertCharged(opened, 1, 1);
      },
      ({ begun }) => assert.equal(begun(), false, 'its answer began before the service was killed'),
    ),
  );

  test('its service is killed after the answer has begun', { concurrency: true }, (t) =>
    killUnder(
      t,
      async ({ draw }) => {
        const begun = Promise.withResolvers<Response>();
        const drawn = draw(secondsUnderWay, begun.resolve);
        await Promise.race([begun.promise, drawn]);
        return { drawn };
      },
      async ({ client, opened, draw }, { drawn }) => {
        if (!client.repeatsWhatWasCut)
          await assert.rejects(drawn, (error) => client.seen(error).type === client.cut.type);
        // Where the package does not repeat, its user does.
        const repeated = client.repeatsWhatWasCut ? drawn : draw(secondsUnderWay);
        await drawOnceAdopted(opened, repeated);
        assertPictures(await repeated, 1);
        await assertCharged(opened, 1, 1);
      },
    ),
  );

  for (const client of packageClients)
    test(`${client.name}: equal requests side by side, one to each`, async () => {
      await using owned = new AsyncDisposableStack();
      const { opened, draw } = await openClient(owned, client);
      const drawn = await Promise.all([1, 2].map(() => draw(2)));
      assertPictures(drawn.flat(), 2);
      await assertCharged(opened, 2, 2);
    });
});
