import assert from 'node:assert/strict';
import type { StopAnswer } from '@renderkit/contract/studio/schemas/render.ts';
import type { CounterpartAnswer, CounterpartRequest } from '@renderkit/engine-kit/testing/counterpart.ts';
import { ReplicateCounterpart } from '@renderkit/engine-replicate/testing/counterpart.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/manifests/read-manifest.ts';
import { showLedger } from '@renderkit/studio/operator.ts';
import sharp from 'sharp';
import { startTestStudio, type TestAccount, type TestStudio, untilOffered } from './harness.ts';

const source = (cost: string) => `
manifest: 1
id: bought
name: Bought
suites: [image]
batch_size: { Conjure: 3 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]
price: { base_millicredits: 1000 }
routes:
  - name: replicate
    engine: replicate
    on: [provider]
    endpoint: black-forest-labs/flux-dev
    set:
      /prompt: { text: '{prompt}' }
      /num_outputs: { from: outputs }
    outputs: { at: /*, kind: image, max_per_job: 2 }
    timeouts: { run: 300 }
${cost}
`;
/** The cost of a job for the installation. */
export const paid = '    cost: { currency: USD, per_output: 0.01 }';

const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: '#284' } })
  .png()
  .toBuffer();

/** A provider whose results are pictures. */
class Provider extends ReplicateCounterpart {
  protected override async answer(request: CounterpartRequest): Promise<CounterpartAnswer> {
    return request.purpose === 'result' ? { bytes: await picture } : super.answer(request);
  }
}

export type Opened = AsyncDisposable & { studio: TestStudio; provider: Provider; account: TestAccount };

/** Opens a studio without a worker, with one model that a provider makes in jobs of two pictures. */
export async function openBought(cost = ''): Promise<Opened> {
  await using owners = new AsyncDisposableStack();
  const provider = owners.use(await new Provider().start());
  const studio = owners.use(await startTestStudio({ worker: false }));
  const { database } = studio;
  const { manifest, problems } = readManifest(source(cost));
  assert.ok(manifest, JSON.stringify(problems));
  await withCatalog(database, async (transaction) => {
    await addVersion(transaction, { manifest, source: source(cost), files: {} }, 'operator');
    await publishModel(transaction, 'bought', undefined, 'operator');
  });
  await database.execute(
    `insert into backends (name, engine, url, slots, next_check_at, checked_revision, allow_loss)
     values ('provider', 'replicate', $1, 4, 'infinity', 1000000, true)`,
    [provider.base],
  );
  await database.execute(
    `insert into route_fits (backend, model_id, version, route, fits) values ('provider', 'bought', 1, 0, true)`,
  );
  const account = await studio.connect({ tier: 'pro' });
  await untilOffered(account, 'bought');
  const owned = owners.move();
  return { studio, provider, account, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Requests that the account's render `one` is stopped. */
export async function stop({ studio, account }: Opened): Promise<{ status: number; body: StopAnswer }> {
  const response = await fetch(`${studio.url}/api/renders/one/stopped`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${account.accessToken}` },
  });
  return { status: response.status, body: (await response.json()) as StopAnswer };
}

/** Returns the kinds of the entries in the account's ledger, without the opening. */
export const ledgerKinds = async ({ studio, account }: Opened) =>
  (await showLedger(studio.database, account.email))
    .map(({ kind }) => kind)
    .filter((kind) => kind !== 'opening');

/** Submits the account's render `one`, of three pictures in two jobs. */
export async function submit({ account }: Opened): Promise<void> {
  assert.equal((await account.submit('one', { model: 'bought' })).outcome, 'accepted');
}
