import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import Renderkit, { RenderkitError } from 'renderkit';
import { type MockRenderkit, mockRenderkit } from 'renderkit/testing';
import { Journal } from './journal.ts';
import type { Price } from './price-rows.ts';
import { readRows } from './read-rows.ts';
import { RowFiles } from './row-files.ts';
import { runBatch } from './run-batch.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'renderkit-batch-'));
});
after(() => rmSync(folder, { recursive: true }));

/** A batch in its own folder. `run` may be called several times. */
function batchOf(name: string) {
  const own = path.join(folder, name);
  const file = `${own}.csv`;
  const run = async (
    csv: string,
    client: Renderkit,
    more: { prices?: (line: number) => Price; template?: string } = {},
  ) => {
    writeFileSync(file, csv);
    const rows = readRows(file, { template: undefined, kind: 'image' });
    using journal = Journal.open(`${file}.state.jsonl`, 'make');
    const priced = more.prices;
    await runBatch(
      rows.filter(({ id }) => {
        const { done } = journal.stateOf(id) ?? {};
        return done === undefined || done.unsaved === true;
      }),
      {
        client,
        journal,
        files: new RowFiles(client, folder),
        concurrency: 1,
        out: own,
        name: more.template ?? '{row}-{slug}',
        priceOf: ({ line }) => priced?.(line),
        isCapped: priced !== undefined,
        signal: new AbortController().signal,
        onChange: () => undefined,
      },
    );
    return rows.map(({ id }) => journal.stateOf(id)?.done);
  };
  return { run, folder: own, journal: () => readFileSync(`${file}.state.jsonl`, 'utf8') };
}

/** A client of the mock. `link` may return another response for downloads of outputs. */
function clientOf(mock: MockRenderkit, link?: () => Response | undefined): Renderkit {
  const fetch = async (url: string, init: RequestInit) =>
    (url.startsWith('data:') ? link?.() : undefined) ?? mock.options.fetch(url, init);
  return new Renderkit({ ...mock.options, fetch, maxRetries: 0 });
}

const creates = ({ requests }: MockRenderkit) =>
  requests.filter(({ method, path: at }) => method === 'POST' && at === '/v1/images/generations').length;

test('a file that does not come is missing of its row alone, and the next run gets it and pays nothing', async () => {
  const mock = mockRenderkit();
  const batch = batchOf('away');
  const csv = 'prompt\na lake\na hill\na wood\n';
  let isAway = true;
  const once = () => {
    if (!isAway) return undefined;
    isAway = false;
    return new Response(null, { status: 503 });
  };
  const first = await batch.run(csv, clientOf(mock, once));
  assert.deepEqual(
    first.map((done) => [done?.status, done?.files.length, done?.unsaved]),
    [
      ['succeeded', 0, true],
      ['succeeded', 1, undefined],
      ['succeeded', 1, undefined],
    ],
  );
  assert.match(first[0]?.error ?? '', /^made, but not saved: .* answered 503/);
  const second = await batch.run(csv, clientOf(mock));
  assert.deepEqual(
    second.map((done) => [done?.status, done?.files.length, done?.unsaved]),
    [1, 2, 3].map(() => ['succeeded', 1, undefined]),
  );
  assert.equal(creates(mock), 3);
});

test('an output that is gone is told once and holds no run up', async () => {
  const mock = mockRenderkit();
  const [done] = await batchOf('gone').run(
    'prompt\na lake\n',
    clientOf(mock, () => new Response(null, { status: 404 })),
  );
  assert.deepEqual([done?.status, done?.unsaved], ['succeeded', undefined]);
  assert.match(done?.error ?? '', /not saved: .* answered 404/);
});

test('a generation that the key does not see ends the run, and its row has not failed', async () => {
  const mock = mockRenderkit();
  const batch = batchOf('elsewhere');
  const csv = 'prompt\na lake\n';
  const cut = new Renderkit({
    ...mock.options,
    maxRetries: 0,
    // Simulates a process that ends while it waits.
    fetch: async (url, init) => {
      if (init.method === 'GET') throw new TypeError('fetch failed');
      return mock.options.fetch(url, init);
    },
  });
  await assert.rejects(batch.run(csv, cut), { code: 'connection_failed' });
  assert.match(batch.journal(), /"created"/);
  await assert.rejects(batch.run(csv, clientOf(mockRenderkit())), { code: 'not_found', exitCode: 1 });
  assert.doesNotMatch(batch.journal(), /"done"/);
  const [done] = await batch.run(csv, clientOf(mock));
  assert.equal(done?.status, 'succeeded');
  assert.equal(creates(mock), 1);
});

test('no file is written over: rows that were added, and names that are equal', async () => {
  const mock = mockRenderkit();
  const batch = batchOf('names');
  const long = 'a lighthouse above a calm sea at dusk with birds';
  await batch.run(`prompt\n${long} one\n${long} two\n`, clientOf(mock));
  const done = await batch.run(`prompt\n${long} new\n${long} one\n${long} two\n`, clientOf(mock));
  const files = done.flatMap((one) => one?.files ?? []);
  assert.equal(new Set(files).size, 3, files.join('\n'));
  assert.equal(readdirSync(batch.folder).length, 3);
  const equal = batchOf('equal');
  const same = await equal.run('prompt\na lake\na lake\n', clientOf(mock), { template: '{slug}' });
  assert.equal(new Set(same.flatMap((one) => one?.files ?? [])).size, 2);
  assert.equal(readdirSync(equal.folder).length, 2);
});

test('a run after a crash writes to the names that it gave', async () => {
  const mock = mockRenderkit();
  const batch = batchOf('crashed');
  const csv = 'prompt\na lake\n';
  await batch.run(csv, clientOf(mock));
  // The file was written, but not the last entry of its row.
  const lines = batch.journal().trimEnd().split('\n');
  assert.match(lines.at(-1) ?? '', /"done"/);
  writeFileSync(`${batch.folder}.csv.state.jsonl`, `${lines.slice(0, -1).join('\n')}\n`);
  const [done] = await batch.run(csv, clientOf(mock));
  assert.deepEqual(done?.files, [path.join(batch.folder, '0002-a-lake.png')]);
  assert.deepEqual(readdirSync(batch.folder), ['0002-a-lake.png']);
});

test('a row without a price is not sent where prices were agreed to, and the others are', async () => {
  const mock = mockRenderkit();
  const refusal = new RenderkitError('invalid_request', 'no such model', { status: 400 }) as RenderkitError;
  const prices = (line: number) => (line === 2 ? { refusal } : { credits: 1 });
  const [first, second] = await batchOf('unpriced').run('prompt\na lake\na hill\n', clientOf(mock), {
    prices,
  });
  assert.deepEqual(
    [first?.status, first?.error, second?.status],
    ['failed', 'invalid_request: no such model', 'succeeded'],
  );
  assert.equal(creates(mock), 1);
});
