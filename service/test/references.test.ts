import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exampleEditModel, exampleVideoModel } from '@renderkit/contract/studio/examples/models.ts';
import type {
  RenderRequest,
  QuotesRequest,
  SubmitRequest,
} from '@renderkit/contract/studio/schemas/render.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { publicMessage } from '@renderkit/egress/egress-refusal.ts';
import { startLoopbackServer } from '@renderkit/egress/testing/loopback-server.ts';
import { ssrfCorpus } from '@renderkit/egress/testing/ssrf-corpus.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Static } from 'typebox';
import { assertProblem } from './assert-problem.ts';
import { type FileServer, startFileServer, tinyPng } from './file-server.ts';
import { startTestService, type TestService } from './harness.ts';
import { postForm } from './post-form.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

let service: TestService;
let studio: ScriptedRenders;
let files: FileServer;
let key: string;
/** The file server answers after this promise. */
let gate: Promise<void>;
let open: () => void;
/** How many of the next requests for `/breaks` are cut off. */
let breaks = 0;

before(async () => {
  files = await startFileServer((request, response) => {
    const isCut = () => request.url === '/breaks' && breaks-- > 0;
    const status = request.url === '/gone' ? 404 : 200;
    void gate.then(() => (isCut() ? response.destroy() : response.writeHead(status).end(tinyPng)));
  });
  service = await startTestService({
    config: { egressAllow: ['127.0.0.0/8'] },
    reconcileMs: 100,
    retryMs: 50,
  });
  service.studio.catalog.models.push(
    exampleVideoModel({ id: 'all', default_for: [], parameters: { max_reference_images: 10 } }),
    exampleEditModel({ id: 'both', default_for: [], parameters: { max_reference_images: 10 } }),
  );
  service.studio.balance.lifetime_millicredits = 1_000_000_000;
  studio = scriptRenders(service.studio);
  const lane = { limit: 100, running: 0, running_elsewhere: 0 };
  studio.limits = { overall: lane, image: lane, edit: lane, video: lane };
  key = await service.createKey();
});
after(async () => {
  open();
  await service[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
});
beforeEach(() => {
  gate = new Promise((resolve) => {
    open = resolve;
  });
});

type Told = { status: number; body: Generation; text: string; headers: Headers };
const edit = (body: object, more: object = {}): Promise<Told> =>
  service.ask<Generation>('/v1/images/edits', { key, body: { prompt: 'in winter', ...body }, ...more });
const generation = async (id: string) =>
  (await service.ask<Generation>(`/v1/generations/${id}`, { key })).body;
const fields = (answer: { text: string }) =>
  (JSON.parse(answer.text) as Problem).errors?.map(({ field }) => field);

const untilStatus = (id: string, status: Generation['status']) =>
  until(`${id} ${status}`, () => generation(id), { isSo: (now) => now.status === status });

async function newUpload(owner = key): Promise<Upload> {
  const parts = [{ name: 'file', value: tinyPng, fileName: 'lake.png' }];
  return (await postForm<Upload>(`${service.url}/v1/uploads`, owner, parts)).body;
}

/** Reports the studio's result of an upload in its feed. */
function tell(token: string, status: 'ready' | 'rejected'): void {
  const stored = service.studio.uploads.files.get(token);
  assert.ok(stored !== undefined);
  stored.upload.status = status;
  studio.tell({ token, upload: structuredClone(stored.upload) });
}

const hidden = () => [...service.studio.uploads.files].filter(([, file]) => file.hidden).map(([id]) => id);
const untilHidden = (earlier: readonly string[]) =>
  until('a file', () => hidden().find((id) => !earlier.includes(id)));

function sent<T>(operation: string): T[] {
  return service.studio.seen
    .filter((seen) => seen.operation === operation)
    .map(({ body }) => JSON.parse(body) as T);
}
const lastQuote = () => sent<Static<typeof QuotesRequest>>('createQuotes').at(-1)?.quotes.at(-1);
const imageOf = (request: RenderRequest | undefined) =>
  request?.kind === 'image_edit' ? request.image : undefined;
const lastSubmit = () => sent<Static<typeof SubmitRequest>>('submitRender').at(-1)?.request;

test('a generation that names an upload in processing waits, lets others pass, and starts when it is ready', async () => {
  const upload = await newUpload();
  const { status, body } = await edit({ image: upload.id });
  assert.equal(status, 202);
  assert.equal(imageOf(lastQuote()?.request), upload.id);
  const other = await edit({ image: 'lib_1' });
  await untilStatus(other.body.id, 'running');
  assert.equal((await generation(body.id)).status, 'queued');
  tell(upload.id, 'ready');
  await untilStatus(body.id, 'running');
  assert.equal(imageOf(lastSubmit()), upload.id);
  // From now on it can be used like an item of the library.
  await untilStatus((await edit({ image: upload.id })).body.id, 'running');
});

test('one that waits for two starts only when both are ready, and may be canceled before', async () => {
  const [one, two] = [await newUpload(), await newUpload()];
  const body = { model: 'both', image: one.id, reference_images: ['lib_1', two.id, one.id] };
  const waiting = (await edit(body)).body.id;
  const canceled = (await edit(body)).body.id;
  tell(one.id, 'ready');
  await sleep(300);
  assert.equal((await generation(waiting)).status, 'queued');
  const cancel = await service.ask(`/v1/generations/${canceled}/cancel`, { key, method: 'POST' });
  assert.equal(cancel.status, 200);
  tell(two.id, 'ready');
  await untilStatus(waiting, 'running');
  assert.equal((await generation(canceled)).status, 'canceled');
});

test('a rejected upload fails what waits for it, in the same moment, and whoever names it later is refused', async () => {
  const upload = await newUpload();
  const { body } = await edit({ image: upload.id });
  const submits = studio.submits.length;
  tell(upload.id, 'rejected');
  const failed = await untilStatus(body.id, 'failed');
  assert.equal(failed.error?.code, 'moderation_blocked');
  assert.equal(failed.submitted_at, null);
  assert.equal(studio.submits.length, submits);
  const events = await service.database.rows<{ type: string; subject_id: string; created_at: Date }>(
    'select type, subject_id, created_at from events where subject_id = any ($1) order by type',
    [[upload.id, body.id]],
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ['generation.failed', 'upload.rejected'],
  );
  const later = await edit({ image: upload.id });
  assertProblem(later, 'moderation_blocked', 'a rejected upload');
  assert.deepEqual(fields(later), ['image']);
});

test('the money of what never started is free again', async () => {
  const credits = async () =>
    (await service.ask<{ balance: number }>('/v1/account/balance', { key })).body.balance;
  const earlier = await credits();
  const upload = await newUpload();
  const { body } = await edit({ image: upload.id });
  assert.equal(await credits(), earlier - 3);
  tell(upload.id, 'rejected');
  await untilStatus(body.id, 'failed');
  assert.equal(await credits(), earlier);
});

test('an address becomes a hidden upload, fetched after the 202; one that stands twice is fetched once', async () => {
  const url = `${files.url}/deep/a%20lake.png`;
  const [asked, earlier] = [files.asked.length, hidden()];
  const { status, body } = await edit({ model: 'both', image: url, reference_images: [url, 'lib_1'] });
  assert.equal(status, 202);
  const quote = lastQuote();
  const id = imageOf(quote?.request) ?? '';
  assert.match(id, /^upl_[0-9a-z]{26}$/);
  assert.deepEqual(quote?.request.reference_images, [id, 'lib_1']);
  assert.deepEqual(quote?.coming, [id]);
  assert.equal((await generation(body.id)).status, 'queued');
  open();
  assert.equal(await untilHidden(earlier), id);
  assert.equal(files.asked.length - asked, 1);
  assert.equal((await service.ask(`/v1/uploads/${id}`, { key })).status, 404);
  assertProblem(await edit({ image: id }), 'invalid_request', 'nobody knows yet what comes of it');
  tell(id, 'ready');
  await untilStatus(body.id, 'running');
  assert.equal((await edit({ model: 'both', image: id })).status, 202, 'the request can be sent again');
  await moveClock(service.database, 86_400);
  assertProblem(await edit({ image: id }), 'invalid_request', 'it goes after a day');
  await moveClock(service.database, 0);
  const events = await service.database.rows('select 1 from events where subject_id = $1', [id]);
  assert.deepEqual(events, [], 'nobody is told of what nobody sees');
});

test('an address that gives no file, or none that the studio takes, fails the generation', async () => {
  open();
  const gone = await untilStatus((await edit({ image: `${files.url}/gone` })).body.id, 'failed');
  assert.deepEqual([gone.error?.code, gone.submitted_at], ['unprocessable', null]);
  service.studio.uploads.next.push({ outcome: 'unusable', reason: 'broken', message: '' });
  const broken = await untilStatus((await edit({ image: `${files.url}/x.png` })).body.id, 'failed');
  assert.equal(broken.error?.code, 'unprocessable');
  const refusal = { code: 'tier_required', message: 'no' } as const;
  service.studio.uploads.next.push({ outcome: 'refused', refusal });
  const lacking = await untilStatus((await edit({ image: `${files.url}/x.png` })).body.id, 'failed');
  assert.equal(lacking.error?.code, 'tier_required');
});

test('a file that breaks off is asked for again, three times at most', async () => {
  open();
  const path = '/breaks';
  const countOf = () => files.asked.filter((url) => url === path).length;
  breaks = 2;
  const earlier = hidden();
  const { body } = await edit({ image: `${files.url}${path}` });
  tell(await untilHidden(earlier), 'ready');
  await untilStatus(body.id, 'running');
  assert.equal(countOf(), 3);
  breaks = 10;
  const never = await untilStatus((await edit({ image: `${files.url}${path}` })).body.id, 'failed');
  assert.deepEqual([never.error?.code, countOf()], ['unprocessable', 6]);
});

test('a studio that is away keeps an import waiting and loses nothing', async () => {
  open();
  const earlier = hidden();
  service.studio.script('storeUpload', { status: 503, json: { code: 'maintenance', message: 'soon' } });
  const { body } = await edit({ image: `${files.url}/x.png` });
  await sleep(300);
  assert.equal((await generation(body.id)).status, 'queued');
  service.studio.script('storeUpload', undefined);
  await service.database.rows(`update uploads set due_at = clock() where status = 'coming'`);
  tell(await untilHidden(earlier), 'ready');
  await untilStatus(body.id, 'running');
});

test('no import is left of a generation that was canceled before it was fetched', async () => {
  const { body } = await edit({ image: `${files.url}/x.png` });
  await service.ask(`/v1/generations/${body.id}/cancel`, { key, method: 'POST' });
  await until('the end of the import', async () => {
    // As if the process that fetches the upload had died.
    await service.database.rows(
      `update uploads set lease_owner = null, lease_until = null where status = 'coming'`,
    );
    return (await service.database.rows(`select 1 from uploads where status = 'coming'`)).length === 0;
  });
});

test('a mask as a data URL is sent to the studio, and kept nowhere else', async () => {
  const png = Buffer.concat([tinyPng, Buffer.alloc(900_000, 1)]);
  const mask = `data:image/png;base64,${png.toString('base64')}`;
  const { status, body } = await edit({ image: 'lib_1', mode: 'inpaint', mask });
  assert.equal(status, 202);
  const quoted = lastQuote()?.request;
  const id = quoted?.kind === 'image_edit' ? (quoted.mask ?? '') : '';
  const stored = service.studio.uploads.files.get(id);
  const sha256 = createHash('sha256').update(png).digest('hex');
  assert.deepEqual([stored?.hidden, stored?.sha256], [true, sha256]);
  assert.equal(lastQuote()?.coming, undefined);
  const [row] = await service.database.rows<{ sha256: string; hidden: boolean }>(
    `select encode(sha256, 'hex') as sha256, hidden from uploads where id = $1`,
    [id],
  );
  assert.deepEqual(row, { sha256, hidden: true });
  const [request] = await service.database.rows<{ render_request: string; sent_body: string }>(
    'select render_request, sent_body from generation_requests where generation_id = $1',
    [body.id],
  );
  assert.ok((request?.render_request.length ?? 0) < 2_000);
  const kept = JSON.parse(request?.sent_body ?? '{}') as Record<string, unknown>;
  assert.deepEqual([kept['image'], kept['mode'], kept['mask']], ['lib_1', 'inpaint', id]);
  assert.ok(!service.logged.join('').includes(mask.slice(30, 60)));
  tell(id, 'ready');
  await untilStatus(body.id, 'running');
});

/** Characters of base64 that the service decodes in one turn. */
const decodedAtOnce = 512 * 1024;

/** Returns a mask that is decoded in two turns, after `change` has changed its base64. */
function longMask(change: (base64: string) => string): string {
  const bytes = Buffer.alloc(450_000, 9);
  tinyPng.copy(bytes);
  return `data:image/png;base64,${change(bytes.toString('base64'))}`;
}

test('a mask that is no PNG, or no base64, is a 400 before anything is sent', async () => {
  const earlier = hidden();
  const texts = [
    'data:image/jpeg;base64,AAAA',
    'data:image/png;base64,',
    'data:image/png;base64,AAAA',
    'data:image/png;base64,iVBORw0KGg=',
    `data:image/png;base64,${tinyPng.toString('base64url')}-_`,
    `data:image/png;base64,${tinyPng.toString('base64')} `,
    `data:image/png,${tinyPng.toString('base64')}`,
    longMask((base64) => `${base64.slice(0, 530_000)}-${base64.slice(530_001)}`),
    longMask((base64) => `${base64.slice(0, 530_000)}é${base64.slice(530_001)}`),
    longMask((base64) => `${base64.slice(0, decodedAtOnce - 2)}==${base64.slice(decodedAtOnce)}`),
    longMask((base64) => `${base64.slice(0, -4)}A===`),
  ];
  for (const mask of texts) {
    const shown = mask.slice(-100);
    const answer = await edit({ image: 'lib_1', mode: 'inpaint', mask });
    assertProblem(answer, 'invalid_request', shown);
    assert.deepEqual(fields(answer), ['mask'], shown);
  }
  assert.deepEqual(hidden(), earlier);
  service.studio.uploads.next.push({ outcome: 'unusable', reason: 'unsupported_type', message: '' });
  const refused = await edit({
    image: 'lib_1',
    mode: 'inpaint',
    mask: `data:image/png;base64,${tinyPng.toString('base64')}`,
  });
  assertProblem(refused, 'invalid_request', 'by the studio');
  assert.match(JSON.parse(refused.text).detail, /mask: must be a PNG/);
});

test('the same create again has its first answer and sends nothing twice', async () => {
  open();
  const mask = `data:image/png;base64,${tinyPng.toString('base64')}`;
  const body = { image: `${files.url}/x.png`, mode: 'inpaint', mask };
  const more = { headers: { 'idempotency-key': 'once' } };
  const first = await edit(body, more);
  const uploads = async () =>
    (await service.database.rows<{ id: string }>('select id from uploads')).map(({ id }) => id);
  const earlier = await uploads();
  const second = await edit(body, more);
  assert.deepEqual([second.status, second.text], [202, first.text]);
  // Older uploads may be removed meanwhile.
  assert.deepEqual(
    (await uploads()).filter((id) => !earlier.includes(id)),
    [],
  );
});

test('an estimate validates references and makes nothing of them', async () => {
  const upload = await newUpload();
  const [earlier, asked] = [
    await service.database.rows('select id from uploads order by id'),
    files.asked.length,
  ];
  const mask = `data:image/png;base64,${tinyPng.toString('base64')}`;
  const estimate = (body: object) =>
    service.ask('/v1/estimate', {
      key,
      body: { kind: 'image_edit', prompt: 'x', mode: 'inpaint', mask, ...body },
    });
  assert.equal((await estimate({ image: upload.id })).status, 200);
  assert.equal((await estimate({ image: `${files.url}/x.png` })).status, 200);
  assert.equal(lastQuote()?.coming?.length, 2);
  const wrong = await estimate({ image: `upl_${'0'.repeat(26)}`, mask: 'data:image/png;base64,AAAA' });
  assertProblem(wrong, 'invalid_request', 'both at once');
  assert.deepEqual(fields(wrong)?.toSorted(), ['image', 'mask']);
  assert.deepEqual(await service.database.rows('select id from uploads order by id'), earlier);
  assert.equal(files.asked.length, asked);
});

const fieldsOfKinds = {
  '/v1/images/edits': {
    base: { model: 'both', prompt: 'x', image: 'lib_1', mode: 'inpaint', mask: 'upl_x' },
    single: ['image', 'mask'],
    lists: ['reference_images'],
  },
  '/v1/videos/generations': {
    base: { model: 'all', prompt: 'x' },
    single: ['start_image', 'end_image', 'source_video'],
    lists: ['reference_images', 'reference_audios'],
  },
} as const;

test("another account's upload, and one that never was, are unknown in every field", async () => {
  const other = await service.createKey({ accountId: await service.connectAccount() });
  const foreign = (await newUpload(other)).id;
  for (const [path, { base, single, lists }] of Object.entries(fieldsOfKinds))
    for (const id of [foreign, `upl_${'0'.repeat(26)}`, 'upl_', 'upl_x'])
      for (const field of [...single, ...lists.map((list) => `${list}[0]`)]) {
        const name = field.split('[')[0] as string;
        const own = 'mask' in base ? { ...base, mask: await readyMask() } : base;
        const body = { ...own, [name]: field === name ? id : [id] };
        const answer = await service.ask(path, { key, body });
        assertProblem(answer, 'invalid_request', `${field} ${id}`);
        assert.deepEqual(fields(answer), [field]);
      }
});

let kept: string | undefined;
async function readyMask(): Promise<string> {
  kept ??= (await newUpload()).id;
  return kept;
}

test('no special address is asked for from any field', async () => {
  await using canary = await startLoopbackServer();
  await using strict = await startTestService();
  strict.studio.catalog.models.push(
    exampleVideoModel({ id: 'all', default_for: [], parameters: { max_reference_images: 10 } }),
    exampleEditModel({ id: 'both', default_for: [], parameters: { max_reference_images: 10 } }),
  );
  const strictKey = await strict.createKey();
  const cases = ssrfCorpus(11).filter((_, i) => i % 97 === 0);
  let tried = 0;
  for (const [path, { base, single, lists }] of Object.entries(fieldsOfKinds))
    for (const field of [...single.filter((one) => one !== 'mask'), ...lists.map((list) => `${list}[0]`)])
      for (const { authority } of cases) {
        const url = `https://${authority}:${canary.port}/x.png`;
        const name = field.split('[')[0] as string;
        const { mask: _, mode: __, ...own } = base as Record<string, unknown>;
        const body = { ...own, [name]: field === name ? url : [url] };
        const answer = await strict.ask(path, { key: strictKey, body });
        assertProblem(answer, 'invalid_request', `${field} ${url}`);
        const { errors } = JSON.parse(answer.text) as Problem;
        assert.deepEqual(errors, [{ field, message: publicMessage }]);
        tried++;
      }
  assert.ok(tried >= 100, String(tried));
  assert.equal(canary.connections, 0);
});

test('checks that take too long fail what waits for them', async () => {
  const upload = await newUpload();
  const { body } = await edit({ image: upload.id });
  await moveClock(service.database, 16 * 60);
  await service.database.rows('update uploads set due_at = clock() where id = $1', [upload.id]);
  const failed = await untilStatus(body.id, 'failed');
  assert.deepEqual([failed.error?.code, failed.submitted_at], ['upstream_unavailable', null]);
});
