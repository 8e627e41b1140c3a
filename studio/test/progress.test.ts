import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RenderProgress } from '@renderkit/contract/studio/progress.ts';
import { type Engine, EngineError } from '@renderkit/engine-kit/engine.ts';
import type { Report } from '@renderkit/engine-kit/report.ts';
import sharp from 'sharp';
import { forgetOldProgress } from '../src/progress/queries.ts';
import { readProgress, startTestStudio, type TestAccount, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(async () => (studio = await startTestStudio({ worker: false })));
after(() => studio[Symbol.asyncDispose]());

const asked = ({ id: account }: TestAccount, token: string, last?: RenderProgress) => [
  { account, token, revision: last?.revision ?? null, preview_after: last?.preview?.revision ?? 0 },
];

/** Yields all progress of a render, in order, until it has ended. */
async function* follow(account: TestAccount, token: string): AsyncGenerator<RenderProgress> {
  for (let last: RenderProgress | undefined; ;) {
    const { renders, ended } = await readProgress(studio.url, asked(account, token, last), 20);
    if (ended.length > 0) return;
    for (const one of renders) yield (last = one);
  }
}

/** Returns a local engine whose renders wait until `open` is called. */
function gatedEngine(model = 'linework') {
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const reports: Report[] = [];
  const engine: Engine = {
    id: 'procedural',
    kinds: ['image'],
    models: [model],
    async *render(_request, _signal, report) {
      if (report !== undefined) reports.push(report);
      await gate;
      yield* [];
      throw new EngineError('render_impossible', 'This engine makes nothing.');
    },
  };
  return { engine, open, reports };
}

test('a film that is drawn shows its stages, a fraction that never falls, and how it looks meanwhile', async () => {
  const account = await studio.connect({ tier: 'pro' });
  // A picture may be finished before its first preview is due; a video is not.
  await account.submit('drawn', { kind: 'video', model: 'drift-1', duration_seconds: 3 });
  const following = (async () => {
    const seen: RenderProgress[] = [];
    for await (const one of follow(account, 'drawn')) seen.push(one);
    return seen;
  })();
  await using _ = await studio.startWorker();
  const seen = await following;
  assert.ok(seen.some(({ stage }) => stage === 'rendering'));
  const fractions = seen.flatMap(({ fraction }) => (fraction === null ? [] : [fraction]));
  assert.deepEqual(
    fractions,
    fractions.toSorted((a, b) => a - b),
  );
  assert.ok(fractions.length > 0);
  const previews = seen.flatMap(({ preview }) => (preview?.jpeg === undefined ? [] : [preview]));
  assert.ok(previews.length > 0, 'a preview came');
  for (const { jpeg = '', width, height } of previews) {
    const bytes = Buffer.from(jpeg, 'base64');
    const image = await sharp(bytes).metadata();
    assert.deepEqual([image.format, image.width, image.height], ['jpeg', width, height]);
    assert.ok(Math.max(width, height) <= 384 && bytes.length <= 32 * 1024);
  }
  // A request at the moment of the end may have left the row of its watch.
  const reported = 'select render_id from render_progress where attempt is not null';
  assert.deepEqual(await studio.database.rows(reported), []);
});

test('a watch that outlived its render is forgotten an hour later, one of a render under way is kept', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('waits', { model: 'sandbox-slow', options: { seconds: 300 } });
  const [waiting] = await studio.database.rows<{ id: string }>(
    `select id from renders where account_id = $1 and token = 'waits'`,
    [account.id],
  );
  assert.ok(waiting);
  await studio.database.rows(
    `insert into render_progress (render_id, watched_until, reported_at)
     select id, clock() - interval '1 hour', clock() - age from (values ('rnd_gone', interval '61 minutes'),
       ('rnd_recent', interval '59 minutes'), ($1, interval '61 minutes')) as watch (id, age)`,
    [waiting.id],
  );
  assert.equal(await forgetOldProgress(studio.database, 10), 1);
  const left = await studio.database.rows<{ render_id: string }>(
    `delete from render_progress where render_id in ('rnd_gone', 'rnd_recent', $1) returning render_id`,
    [waiting.id],
  );
  assert.deepEqual(left.map((row) => row.render_id).toSorted(), ['rnd_recent', waiting.id].toSorted());
});

test('a render that waits says where it stands and why', async () => {
  const { engine, open } = gatedEngine();
  const account = await studio.connect({ tier: 'pro' });
  const waits = async (token: string) => (await readProgress(studio.url, asked(account, token))).renders[0];
  await account.submit('off', { model: 'linework-1' });
  await studio.database.rows(`update backends set up = false where name = 'procedural'`);
  assert.deepEqual((await waits('off'))?.queue, { position: 1, of: 1, reason: 'engine_down' });
  await studio.database.rows(`update backends set up = true where name = 'procedural'`);
  await account.submit('later', { model: 'sandbox-slow', options: { seconds: 300 } });
  assert.equal((await waits('later'))?.queue, null);
  await studio.database.rows(`update renders set attempt = 1 where token = 'later'`);
  assert.equal((await waits('later'))?.queue?.reason, 'scheduled_retry');
  await using _ = await studio.startWorker({ engines: [engine] });
  for await (const { stage, queue } of follow(account, 'off')) {
    if (stage !== 'rendering') continue;
    assert.equal(queue, null);
    break;
  }
  await account.submit('next', { model: 'linework-1' });
  assert.deepEqual((await waits('next'))?.queue, { position: 1, of: 1, reason: 'engine_busy' });
  await account.submit('after', { model: 'linework-1' });
  const { position, of } = (await waits('after'))?.queue ?? {};
  assert.deepEqual([position, of], [2, 2]);
  open();
  await Promise.all(['off', 'next', 'after'].map((token) => account.finished(token)));
});

test('a render that waits again tells no step of the try before, nor does the next try until it reports', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('again', { model: 'sandbox-slow', options: { seconds: 300 } });
  const change = (changes: string) =>
    studio.database.rows<{ id: string }>(`update renders set ${changes} where token = 'again' returning id`);
  const [render] = await change("status = 'running', attempt = 1");
  await studio.database.rows(
    `insert into render_progress (render_id, attempt, stage, fraction, step, steps, position)
     values ($1, 1, 'rendering', 0.688, 5, 8, 2)`,
    [render?.id],
  );
  const told = async () => {
    const [progress] = (await readProgress(studio.url, asked(account, 'again'))).renders;
    return [progress?.stage, progress?.fraction, progress?.step, progress?.steps];
  };
  assert.deepEqual(await told(), ['rendering', 0.688, 5, 8]);
  await change("status = 'queued'");
  assert.deepEqual(await told(), ['waiting_for_engine', 0.688, null, null]);
  await change("status = 'running', attempt = 2");
  assert.deepEqual(await told(), ['waiting_for_engine', 0.688, null, null]);
  await change("status = 'queued'");
});

test('who begins to watch sees the preview that came while nobody did', async () => {
  const { engine, open, reports } = gatedEngine();
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('seen', { model: 'linework-1' });
  await using _ = await studio.startWorker({ engines: [engine] });
  using _open = { [Symbol.dispose]: open };
  const written = async () => {
    const [row] = await studio.database.rows<{ fraction: number | null }>(
      `select fraction from render_progress where render_id = (
         select id from renders where account_id = $1 and token = 'seen')`,
      [account.id],
    );
    return row;
  };
  while ((await written()) === undefined || reports.length === 0) await sleep(10);
  const bytes = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer();
  reports[0]?.({ type: 'progress', stage: 'rendering', fraction: 0.5 });
  reports[0]?.({ type: 'preview', contentType: 'image/jpeg', bytes });
  while ((await written())?.fraction !== 0.5) await sleep(10);
  let last: RenderProgress | undefined;
  for await (const one of follow(account, 'seen')) {
    last = one;
    if (one.preview !== null) break;
  }
  assert.equal(last?.preview?.width, 64);
  open();
  await account.finished('seen');
});

test('previews of work for adults are shown to those of confirmed age alone', async () => {
  const { engine, open, reports } = gatedEngine('nocturne');
  const account = await studio.connect({ tier: 'pro' });
  const confirm = (is: boolean) =>
    studio.database.rows('update accounts set age_verified = $2 where id = $1', [account.id, is]);
  await confirm(true);
  await account.submit('night', { model: 'nocturne-1' });
  // The age is no longer confirmed.
  await confirm(false);
  await using _ = await studio.startWorker({ engines: [engine] });
  using _open = { [Symbol.dispose]: open };
  const bytes = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer();
  let told = 0;
  const reportAndRead = async () => {
    for (const report of reports) {
      report({ type: 'progress', stage: 'rendering', fraction: (told += 0.001) });
      report({ type: 'preview', contentType: 'image/jpeg', bytes });
    }
    return (await readProgress(studio.url, asked(account, 'night'))).renders[0];
  };
  // A preview was reported with each fraction.
  const fractions = new Set<number>();
  while (fractions.size < 4) {
    const read = await reportAndRead();
    if (read?.fraction != null) fractions.add(read.fraction);
    assert.equal(read?.preview ?? null, null);
  }
  await confirm(true);
  while ((await reportAndRead())?.preview == null);
  open();
  await account.finished('night');
});
