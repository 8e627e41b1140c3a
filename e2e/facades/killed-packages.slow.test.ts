// Runs official packages with two services, one of which is killed. All packages run at once, so that one kill is
// enough.

import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBalancer } from '@renderkit/stack/testing/balancer.ts';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';
import { assertCharged, assertPictures, openCell, slow, untilThereAre } from './package-cell.ts';
import { type OnAnswer, type PackageClient, packageClients } from './package-clients.ts';

/**
 * Instead of 45 seconds. Long enough that, on a busy machine too, no answer begins before all packages have sent their
 * requests and the service is killed.
 */
const heartbeatAfterSeconds = 12;
/** The longest time that the model accepts; `drawOnceAdopted` ends it. */
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

  /**
   * Makes a client for both services. Its first connection goes to the first service; the second service is asked about
   * the result.
   */
  async function openClient(owned: AsyncDisposableStack, client: PackageClient) {
    const ports = platform.serviceUrls.map((url) => Number(new URL(url).port));
    const opened = await openCell(platform, { reader: 1 });
    const front = owned.use(await startBalancer(ports));
    const draw = (seconds: number, onAnswer?: OnAnswer) => {
      const drawn = client.draw(opened.settings(`http://127.0.0.1:${front.port}`), slow(seconds), onAnswer);
      // The result is checked only after the service is dead.
      drawn.catch(() => undefined);
      return drawn;
    };
    return { client, opened, draw };
  }
  type Client = Awaited<ReturnType<typeof openClient>>;

  /** Renders an account's generation only after the second service has adopted it, so that it runs until then. */
  async function drawOnceAdopted({ account }: Client['opened'], drawn: Promise<unknown>): Promise<void> {
    const { service, studio } = platform.databases;
    const ended = new AbortController();
    const end = () => ended.abort();
    drawn.then(end, end);
    const adopted = `select f.id from facade_calls f join accounts a on a.id = f.account_id
                      where a.email = $1 and f.adoptions > 0`;
    while (!ended.signal.aborted && (await service.rows(adopted, [account.email])).length === 0)
      await sleep(50);
    // A job that the killed service had not sent yet reaches the studio once that service's lease of the job has
    // expired.
    const drawNow = `update renders set not_before = null where account_id = $1 and status = 'queued' returning id`;
    while (!ended.signal.aborted && (await studio.rows(drawNow, [account.studioAccountId])).length === 0)
      await sleep(50);
  }

  /** Kills the first service when each client has something running there, and checks what each client then gets. */
  async function killUnder<UnderWay>(
    t: TestContext,
    begin: (client: Client) => Promise<UnderWay>,
    look: (client: Client, underWay: UnderWay) => Promise<void>,
    /** Called for all clients right after the kill. */
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
        // When the package does not repeat the request, its user does.
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
