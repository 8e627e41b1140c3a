import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { applyFile } from '@renderkit/studio/catalog/apply-files.ts';
import { applyBuiltIn } from '@renderkit/studio/catalog/built-in.ts';
import { openCatalog } from '@renderkit/studio/catalog/open-catalog.ts';
import type { Plan } from '@renderkit/studio/catalog/plans.ts';
import {
  addVersion,
  type ModelFiles,
  publishList,
  publishModel,
  retireModel,
  withCatalog,
} from '@renderkit/studio/catalog/publish.ts';
import { growRevision } from '@renderkit/studio/catalog/queries.ts';
import { showAccount } from '@renderkit/studio/operator.ts';
import { readManifest } from '@renderkit/manifests/read-manifest.ts';
import sharp from 'sharp';
import { request, startTestStudio, type TestAccount, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(async () => (studio = await startTestStudio({ worker: false })));
after(async () => studio[Symbol.asyncDispose]());

const silent = createLogger({ part: 'test', level: 'silent' });

/** Returns a model for the procedural engine. */
function modelOf(id: string, baseMillicredits: number, more = ''): ModelFiles {
  const source = `manifest: 1
id: ${id}
name: Meadow
suites: [image]
batch_size: { Conjure: 1 }
parameters: { aspect_ratios: [{ ratio: '1:1', width: 256, height: 256 }] }
price: { base_millicredits: ${baseMillicredits} }
${more}
routes:
  - { name: drawn, engine: procedural, on: [procedural], model: atelier, outputs: { kind: image, max_per_job: 1 } }
`;
  const { manifest, problems } = readManifest(source);
  assert.ok(manifest, JSON.stringify(problems));
  return { manifest, source, files: {} };
}

/** Adds a version of a model and offers it. Returns its number. */
async function publish(model: ModelFiles): Promise<number> {
  return withCatalog(studio.database, async (transaction) => {
    const { version } = await addVersion(transaction, model, 'operator');
    return publishModel(transaction, model.manifest.id, version, 'operator');
  });
}

/** Waits until `holds` returns `true`, at most two seconds. */
async function within2Seconds(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 2_000;
  while (!(await holds())) {
    if (performance.now() > deadline) assert.fail('it is not so after two seconds');
    await sleep(20);
  }
}

const costOf = async (account: TestAccount, model: string) =>
  (await account.quote({ model })).cost_millicredits;

test('what is published is quoted by every process, and older versions again', async () => {
  const account = await studio.connect();
  await using other = await openCatalog({ database: studio.database, log: silent });
  const otherKnows = (price: number) =>
    other.current().models.get('meadow')?.offered.price.base_millicredits === price;
  const known = (price: number) =>
    within2Seconds(async () => otherKnows(price) && (await costOf(account, 'meadow')) === price);
  assert.equal(await publish(modelOf('meadow', 2_000)), 1);
  await known(2_000);
  assert.equal(await publish(modelOf('meadow', 3_000)), 2);
  await known(3_000);
  assert.equal(await publish(modelOf('meadow', 2_000)), 1, 'the same content is the same version');
  await known(2_000);
  const { body: earlier } = await account.call<StudioAnswer<'getCatalog'>>('GET', '/api/catalog');
  await withCatalog(studio.database, (transaction) => retireModel(transaction, 'meadow', 'operator'));
  await within2Seconds(async () => (await account.quote({ model: 'meadow' })).refusal?.field === 'model');
  const { body: afterwards } = await account.call<StudioAnswer<'getCatalog'>>('GET', '/api/catalog');
  assert.notEqual(earlier.version, afterwards.version);
  await within2Seconds(async () => !other.current().models.has('meadow'));
  assert.equal((await other.version('meadow', 2))?.offered.price.base_millicredits, 3_000);
});

test('what was quoted is charged and kept, whatever is published meanwhile', async () => {
  const account = await studio.connect();
  const version = await publish(modelOf('quoted', 2_000));
  await within2Seconds(async () => (await costOf(account, 'quoted')) === 2_000);
  const { quote } = await account.quote({ model: 'quoted' });
  await publish(modelOf('quoted', 9_000));
  await within2Seconds(async () => (await costOf(account, 'quoted')) === 9_000);
  const submit = async (token: string) =>
    (
      await account.call<StudioAnswer<'submitRender'>>('PUT', `/api/renders/${token}`, {
        quote,
        request: request({ model: 'quoted' }),
      })
    ).body;
  const answer = await submit('before');
  assert.ok(answer.outcome === 'accepted', JSON.stringify(answer));
  assert.equal(answer.render.cost_millicredits, 2_000);
  const versionOf = async (token: string) =>
    (
      await studio.database.rows<{ model_version: number }>(
        'select model_version from renders where account_id = $1 and token = $2',
        [account.id, token],
      )
    )[0]?.model_version;
  assert.equal(await versionOf('before'), version);
});

test('a model that is retired between quote and submit is still made', async () => {
  const account = await studio.connect();
  await publish(modelOf('leaving', 1_000));
  await within2Seconds(async () => (await costOf(account, 'leaving')) === 1_000);
  const { quote } = await account.quote({ model: 'leaving' });
  await withCatalog(studio.database, (transaction) => retireModel(transaction, 'leaving', 'operator'));
  await within2Seconds(async () => (await costOf(account, 'leaving')) === 0);
  const { body } = await account.call<StudioAnswer<'submitRender'>>('PUT', '/api/renders/left', {
    quote,
    request: request({ model: 'leaving' }),
  });
  assert.equal(body.outcome, 'accepted');
});

test('a paused model stays on the list, is priced, and refuses until it is back', async () => {
  const account = await studio.connect();
  await publish(modelOf('resting', 1_000));
  // Pauses a model as the backends' health does; no worker checks it here.
  const pause = (reason: string | null) =>
    withCatalog(studio.database, async (transaction) => {
      await transaction.execute(
        `update models set paused_reason = $1::text, paused_since = case when $1::text is not null then clock() end
         where id = 'resting'`,
        [reason],
      );
      await growRevision(transaction);
    });
  await pause('gpu1 is down');
  await within2Seconds(
    async () => (await account.quote({ model: 'resting' })).refusal?.code === 'model_paused',
  );
  const { refusal, quote, cost_millicredits: cost } = await account.quote({ model: 'resting' }, false);
  assert.deepEqual([refusal, quote !== null, cost], [null, true, 1_000], 'an estimate begins nothing');
  const { body } = await account.call<StudioAnswer<'getCatalog'>>('GET', '/api/catalog');
  assert.ok(body.models.some(({ id }) => id === 'resting'));
  assert.ok(!JSON.stringify(body).includes('gpu1'), 'the reason is for operators');
  await pause(null);
  await within2Seconds(async () => (await account.quote({ model: 'resting' })).refusal === null);
});

test('a text of the model’s own is priced, bounded and moderated with the prompt', async () => {
  const account = await studio.connect();
  const model = modelOf('worded', 1_000);
  const option = { key: 'without', name: 'Without', type: 'text', max_length: 60, default: '' } as const;
  const parameters = { ...model.manifest.parameters, options: [option] };
  await publish({ ...model, manifest: { ...model.manifest, parameters } });
  const refusalOf = async (without: string) =>
    (await account.quote({ model: 'worded', options: { without } })).refusal;
  await within2Seconds(async () => (await refusalOf('fog')) === null);
  assert.equal((await refusalOf('x'.repeat(61)))?.field, 'options.without');
  assert.equal((await refusalOf('a bomb recipe'))?.code, 'moderation_blocked');
});

test('of several defaults the operator’s own goes first, then what was published last', async () => {
  await using catalog = await openCatalog({ database: studio.database, log: silent });
  const defaults = () =>
    [...catalog.current().models.values()].filter(({ offered }) => offered.default_for.includes('image'));
  assert.deepEqual(
    defaults().map(({ id }) => id),
    ['atelier-1'],
  );
  await publish(modelOf('first-own', 1_000, 'default_for: [image]'));
  await publish(modelOf('second-own', 1_000, 'default_for: [image]'));
  await within2Seconds(async () => defaults()[0]?.id === 'second-own');
  assert.equal(defaults().length, 1);
  for (const id of ['first-own', 'second-own'])
    await withCatalog(studio.database, (transaction) => retireModel(transaction, id, 'operator'));
});

const readPlans = async () => {
  await using catalog = await openCatalog({ database: studio.database, log: silent });
  return [...catalog.current().plans.values()];
};
const publishPlans = (plans: readonly Plan[]) =>
  withCatalog(studio.database, (transaction) => publishList(transaction, 'plans', plans, 'operator'));

test('a plan has any key, and accounts have what it says from the moment it is published', async () => {
  const earlier = await readPlans();
  const [free] = earlier;
  assert.ok(free);
  const team: Plan = {
    ...free,
    key: 'team-2027',
    name: 'Team',
    monthly_millicredits: 70_000,
    limits: { image: 3, edit: 3, video: 2, overall: 6 },
    storage_bytes: 5_000,
    weight: 2.5,
    stop_refund: 'full',
  };
  await publishPlans([...earlier, team]);
  const account = await studio.connect({ tier: 'team-2027' });
  const { body } = await account.call<StudioAnswer<'getAccount'>>('GET', '/api/account');
  assert.deepEqual(body.tier, { key: 'team-2027', name: 'Team' });
  const shares = async () =>
    (
      await studio.database.rows<{ share: number }>('select share from accounts where id = $1', [account.id])
    )[0]?.share;
  const row = await showAccount(studio.database, account.email);
  assert.deepEqual(
    [
      row.limits,
      row.storage.limit_bytes,
      row.allowance_millicredits,
      row.monthly_millicredits,
      await shares(),
    ],
    [team.limits, 5_000, 70_000, 70_000, 2.5],
  );
  const limits = { ...team.limits, overall: 9 };
  await publishPlans([...earlier, { ...team, limits, monthly_millicredits: 90_000, weight: 1 }]);
  const changed = await showAccount(studio.database, account.email);
  assert.deepEqual(
    [changed.limits, changed.allowance_millicredits, changed.monthly_millicredits, await shares()],
    [limits, 90_000, 70_000, 1],
    'credits come with the next renewal',
  );
  await assert.rejects(publishPlans(earlier), /Accounts have the plan team-2027/);
  assert.deepEqual((await readPlans()).at(-1)?.key, 'team-2027');
  await assert.rejects(
    studio.connect({ tier: 'gold' }),
    /There is no plan gold: the plans are free, plus, pro, team-2027\./,
  );
});

test('accounts that are made while plans are published have the limits of one list', async () => {
  const earlier = await readPlans();
  const [free, ...others] = earlier;
  assert.ok(free);
  const withOverall = (overall: number) => [{ ...free, limits: { ...free.limits, overall } }, ...others];
  await Promise.all([
    ...Array.from({ length: 8 }, (_, i) => publishPlans(withOverall(10 + i))),
    ...Array.from({ length: 8 }, () => studio.connect({ tier: 'free' })),
  ]);
  const last = (await readPlans())[0]?.limits.overall;
  const [row] = await studio.database.rows<{ other: number }>(
    `select count(*) as other from accounts where tier = 'free' and limit_overall <> $1`,
    [last],
  );
  assert.equal(row?.other, 0);
  await publishPlans(earlier);
});

test('a file counts where it changed and nobody changed what it says; an operator’s act is left', async () => {
  const apply = (price: number, mode: 'file' | 'overwrite') =>
    withCatalog(studio.database, (transaction) =>
      applyFile(
        transaction,
        { file: 'filed.model.yaml', kind: 'model', id: 'filed', model: modelOf('filed', price) },
        mode,
      ),
    );
  assert.equal(await apply(1_000, 'file'), 'applied');
  assert.equal(await apply(1_000, 'file'), 'unchanged');
  assert.equal(await apply(2_000, 'file'), 'applied');
  await publish(modelOf('filed', 5_000));
  assert.equal(await apply(2_000, 'file'), 'unchanged', 'it is the file that was applied last');
  assert.equal(await apply(3_000, 'file'), 'kept');
  assert.equal(await apply(3_000, 'overwrite'), 'applied');
  assert.equal(await apply(3_000, 'file'), 'unchanged', 'what is in force is what it says');
  assert.equal(await apply(4_000, 'file'), 'applied');
  const published = await studio.database.rows<{ price: number }>(
    `select (v.manifest->'price'->>'base_millicredits')::integer as price
     from models m join model_versions v on v.model_id = m.id and v.version = m.published_version where m.id = 'filed'`,
  );
  assert.deepEqual(published, [{ price: 4_000 }]);
});

test('a model of the product that an operator changed is kept, and the rest is published once', async () => {
  assert.deepEqual(await applyBuiltIn(studio.database), []);
  const earlier = await studio.database.rows('select count(*) as versions from model_versions');
  await publish(modelOf('sketch-1', 7_000));
  // Makes the studio behave as after a release with another file.
  const release = () => studio.database.execute(`delete from settings where name = 'built_in_digest'`);
  await release();
  assert.deepEqual(await applyBuiltIn(studio.database), [], 'its file is the one that was applied last');
  await release();
  await studio.database.execute(
    `update models set file_digest = 'of a release before' where id = 'sketch-1'`,
  );
  assert.deepEqual(await applyBuiltIn(studio.database), ['sketch-1']);
  assert.deepEqual(await applyBuiltIn(studio.database), ['sketch-1'], 'each start says so');
  const [{ versions } = { versions: 0 }] = await studio.database.rows<{ versions: number }>(
    'select count(*) as versions from model_versions',
  );
  assert.equal(versions, Number(earlier[0]?.['versions']) + 1);
});

test('the product’s own models have pictures, and what took the place of one has none', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const thumbnails = async () => {
    const { body } = await account.call<StudioAnswer<'getCatalog'>>('GET', '/api/catalog');
    return new Map(body.models.map(({ id, thumbnail }) => [id, thumbnail]));
  };
  const names = (await readdir(new URL('../models/', import.meta.url))).flatMap((name) =>
    name.startsWith('sandbox-') ? [] : (/^(.+)\.model\.yaml$/.exec(name)?.[1] ?? []),
  );
  const found = await thumbnails();
  const own = names.map((name) => (name === 'figures' ? 'character/figures' : name));
  assert.deepEqual(
    own.filter((id) => found.get(id) == null),
    ['sketch-1'],
    'all have one but the one that was replaced above',
  );
  for (const id of own.filter((one) => one !== 'sketch-1')) {
    const answer = await fetch(found.get(id) ?? '');
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/webp'], id);
    const { width, height } = await sharp(await answer.arrayBuffer()).metadata();
    assert.equal(Math.max(width, height), 320, id);
  }
  assert.equal((await fetch(`${studio.url}/media/models/none.webp`)).status, 404);
  await publish(modelOf('prism-1', 7_000));
  await within2Seconds(async () => (await thumbnails()).get('prism-1') === null);
});

test('every act is written down with what was so before', async () => {
  const acts = await studio.database.rows<{ actor: string; action: string; before: unknown; after: unknown }>(
    `select actor, action, before, after from admin_audit where subject = 'model:meadow' order by at, id`,
  );
  const offer = (version: number, millicredits: number) => ({
    version,
    price: { base_millicredits: millicredits },
  });
  const actor = 'operator';
  assert.deepEqual(acts, [
    { actor, action: 'model.version_added', before: null, after: { version: 1 } },
    { actor, action: 'model.published', before: { version: null }, after: offer(1, 2_000) },
    { actor, action: 'model.version_added', before: null, after: { version: 2 } },
    { actor, action: 'model.published', before: offer(1, 2_000), after: offer(2, 3_000) },
    { actor, action: 'model.published', before: offer(2, 3_000), after: offer(1, 2_000) },
    { actor, action: 'model.retired', before: offer(1, 2_000), after: { version: null } },
  ]);
});
