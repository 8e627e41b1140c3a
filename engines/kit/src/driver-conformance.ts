import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  EngineFailure,
  type BoundValue,
  type CreateDriver,
  type Driver,
  type EngineJob,
  type EngineResult,
  type Handle,
  type PreparedMedia,
  type RouteFiles,
} from './driver.ts';
import { type JsonValue, onUnknownOf, type Route } from './route.ts';
import type { Counterpart } from './testing/counterpart.ts';

export interface DriverCase<Server extends Counterpart = Counterpart> {
  readonly engine: string;
  readonly createDriver: CreateDriver;
  readonly route: Route;
  /** Files that the route names. */
  readonly files?: RouteFiles['files'];
  readonly values: readonly BoundValue[];
  /** Those of `values` that identify a job where the protocol takes no id. */
  readonly uniqueTargets?: readonly string[];
  readonly start: () => Promise<Server>;
  /** Returns the bytes of the result at an index. */
  readonly resultBytes: (index: number, counterpart: Server) => Buffer;
  /**
   * The result of `find` after a lost message. `answer`: where the answer was lost; `handle` means that the job is
   * found, `unknown` that it is not. `request`: where the request never arrived.
   */
  readonly lost: { readonly answer: 'handle' | 'unknown'; readonly request: 'absent' | 'unknown' };
  /** The result comes as the answer to the submission. It is lost when the process that waits for it ends. */
  readonly isSynchronous?: boolean;
  /**
   * Results are fetched one by one; each failed one is fetched again. `addresses`: by addresses, which may be on
   * another host.
   */
  readonly fetches?: 'names' | 'addresses';
}

const secret = 'conformance-secret';
const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'driver-conformance-'));
// Not after the tests of one file: several files may share the process.
process.once('exit', () => rmSync(folder, { recursive: true }));
let jobs = 0;

/** Makes a picture to pass to an engine. */
export function makeMedia(name: string, bytes = Buffer.from(`picture ${name}`)): PreparedMedia {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path, sha256, contentType: 'image/png', sizeBytes: bytes.length };
}

/**
 * Tests that one driver does what the workers rely on, against its counterpart. Each driver's own tests call this
 * function.
 */
export function testDriver<Server extends Counterpart>(kase: DriverCase<Server>): void {
  testGoodWay(kase);
  testSubmissions(kase);
  testForeignJobs(kase);
  testFollowing(kase);
  testResults(kase);
  testCancel(kase);
}

function testGoodWay<Server extends Counterpart>(kase: DriverCase<Server>): void {
  test(`${kase.engine} makes what is asked for with one submission, and the same twice`, async () => {
    await using bench = await open(kase);
    const { driver, job, counterpart } = bench;
    const prepared = await driver.prepare(job, never);
    assert.deepEqual(overWire(await driver.prepare(job, never)), overWire(prepared));
    assert.equal(counterpart.asked.submit, 0);
    const handle = await driver.submit(overWire(prepared), job.id, never);
    const result = await bench.follow(handle);
    assert.equal(result.files.length, job.outputs);
    for (const [index, { path }] of result.files.entries()) {
      assert.ok((await readFile(path)).equals(kase.resultBytes(index, counterpart)), `result ${index}`);
    }
    assert.deepEqual([counterpart.asked.submit, counterpart.jobs], [1, 1]);
  });

  test(`${kase.engine} is alive, or says why not`, async () => {
    await using bench = await open(kase);
    await bench.driver.probe(never);
    bench.counterpart.mishaps('probe', { status: 401, json: { detail: secret } });
    await assert.rejects(bench.driver.probe(never), isFailure({ blame: 'backend', lasting: true }));
    await bench.counterpart[Symbol.asyncDispose]();
    await assert.rejects(bench.driver.probe(never), isFailure({ blame: 'backend' }));
  });
}

function testSubmissions<Server extends Counterpart>(kase: DriverCase<Server>): void {
  test(`${kase.engine} sends a submission once, however it is refused, and never tells the key`, async () => {
    const cases: [number, Partial<EngineFailure>][] = [
      [400, { blame: 'render', code: 'invalid_request', sent: 'no' }],
      [401, { blame: 'backend', lasting: true, sent: 'no' }],
      [402, { blame: 'backend', lasting: true, sent: 'no' }],
      [403, { blame: 'backend', lasting: true, sent: 'no' }],
      [408, { blame: 'backend', sent: 'unknown' }],
      [425, { blame: 'backend', sent: 'no' }],
      [429, { blame: 'backend', sent: 'no', retryAfterSeconds: 9 }],
      [500, { blame: 'backend' }],
      [502, { blame: 'backend', sent: 'unknown' }],
      [504, { blame: 'backend', sent: 'unknown' }],
      [524, { blame: 'backend', sent: 'unknown' }],
    ];
    for (const [status, expected] of cases) {
      await using bench = await open(kase);
      const refusal = { status, headers: { 'retry-after': '9' }, json: { detail: `no ${secret}`, more: 1 } };
      bench.counterpart.mishaps('submit', refusal);
      await assert.rejects(bench.run(), isFailure(refusalIn(kase, status, expected)));
      assert.deepEqual([bench.counterpart.asked.submit, bench.counterpart.jobs], [1, 0], String(status));
    }
  });

  test(`${kase.engine} sends nothing again when an answer is lost, nonsense or cut off, and finds the job or says that it cannot`, async () => {
    for (const mishap of ['lost_answer', 'nonsense', 'cut_off'] as const) {
      await using bench = await open(kase);
      const { driver, job, counterpart } = bench;
      const since = new Date();
      counterpart.mishaps('submit', mishap);
      const lost: Partial<EngineFailure> =
        kase.isSynchronous === true ? { code: codeOfLost(kase) } : { sent: 'unknown' };
      await assert.rejects(bench.run(), isFailure({ blame: 'backend', ...lost }), mishap);
      await using other = bench.another();
      const found = await other.find(await driver.prepare(job, never), job.id, since, never);
      if (kase.lost.answer === 'handle') {
        assert.ok(typeof found === 'object', `${mishap}: ${JSON.stringify(found)}`);
        if (kase.isSynchronous !== true) await bench.follow(found.handle, other);
      } else assert.equal(found, 'unknown');
      assert.deepEqual([counterpart.asked.submit, counterpart.jobs], [1, 1], mishap);
    }
  });

  test(`${kase.engine} calls no job its own that never arrived`, async () => {
    await using bench = await open(kase);
    const since = new Date();
    bench.counterpart.mishaps('submit', 'lost_request');
    await assert.rejects(bench.run(), isFailure({ blame: 'backend' }));
    const prepared = await bench.driver.prepare(bench.job, never);
    const found = await bench.driver.find(prepared, bench.job.id, since, never);
    assert.equal(found, kase.lost.request);
    assert.equal(bench.counterpart.jobs, 0);
  });

  test(`${kase.engine} knows that nothing was sent where nobody takes the connection`, async () => {
    await using bench = await open(kase);
    const prepared = await bench.driver.prepare(bench.job, never);
    await bench.counterpart[Symbol.asyncDispose]();
    await assert.rejects(
      bench.driver.submit(prepared, bench.job.id, never),
      isFailure({ blame: 'backend', sent: 'no', code: 'engine_unavailable' }),
    );
  });
}

function testForeignJobs<Server extends Counterpart>(kase: DriverCase<Server>): void {
  test(`${kase.engine} takes nobody else's job for its own, however alike they are`, async () => {
    for (const isKnown of [true, false]) {
      await using bench = await open(kase);
      const { driver, counterpart } = bench;
      const { uniqueTargets = [], ...alike } = bench.job;
      const values = bench.job.values.filter(({ target }) => isKnown || !uniqueTargets.includes(target));
      const own: EngineJob = { ...alike, values, uniqueTargets: isKnown ? uniqueTargets : [] };
      const picture = makeMedia(`another of ${own.id}.png`);
      const theirs = values.map((bound) => {
        if (bound.kind === 'media') return { ...bound, media: [picture] };
        return uniqueTargets.includes(bound.target) ? { ...bound, value: 1 } : bound;
      });
      const foreign: EngineJob = { ...own, id: own.id.replace('8000', '9000'), values: theirs };
      const since = new Date();
      const taken = await driver.submit(await driver.prepare(foreign, never), foreign.id, never);
      await follow(driver, taken, foreign, never);
      counterpart.mishaps('submit', 'lost_request');
      const prepared = await driver.prepare(own, never);
      const submitted = driver.submit(prepared, own.id, never);
      await assert.rejects(submitted.then((handle) => follow(driver, handle, own, never)));
      const found = await driver.find(prepared, own.id, since, never);
      assert.ok(typeof found === 'string', `it took ${JSON.stringify(found)}`);
      assert.equal(counterpart.jobs, 1);
    }
  });
}

function testFollowing<Server extends Counterpart>(kase: DriverCase<Server>): void {
  test(`${kase.engine} stops following with the signal's reason`, async () => {
    await using bench = await open(kase);
    bench.counterpart.held = true;
    const handle = await bench.submit();
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error('enough')));
    await assert.rejects(bench.follow(handle, bench.driver, stop.signal), { message: 'enough' });
  });

  if (kase.isSynchronous === true) {
    test(`${kase.engine} tells another process that the outcome is unknown`, async () => {
      await using bench = await open(kase);
      const handle = await bench.submit();
      await using other = bench.another();
      await assert.rejects(
        bench.follow(overWire(handle), other),
        isFailure({ blame: 'backend', code: codeOfLost(kase) }),
      );
      // The first request may still be under way.
      assert.ok(bench.counterpart.asked.submit <= 1);
    });

    test(`${kase.engine} holds an answer until its submission is forgotten`, async () => {
      await using bench = await open(kase);
      const handle = await bench.submit();
      for (let times = 0; times < 2; times++) {
        assert.equal((await bench.follow(handle)).files.length, bench.job.outputs);
      }
      bench.driver.forget?.(overWire(handle));
      await assert.rejects(bench.follow(handle), isFailure({ blame: 'backend', code: codeOfLost(kase) }));
      assert.equal(bench.counterpart.jobs, 1);
    });
    return;
  }

  test(`${kase.engine} is followed to the end by another process, through all that goes wrong on the way`, async () => {
    await using bench = await open(kase);
    const handle = await bench.submit();
    await using other = bench.another();
    bench.counterpart.mishaps('look', { status: 500 }, 'nonsense', 'cut_off', { status: 429 }, 'lost_answer');
    const result = await bench.follow(overWire(handle), other);
    assert.equal(result.files.length, bench.job.outputs);
    assert.deepEqual([bench.counterpart.asked.submit, bench.counterpart.jobs], [1, 1]);
  });
}

function testResults<Server extends Counterpart>(kase: DriverCase<Server>): void {
  test(`${kase.engine} calls a result that is missing or another a bad one, and asks for no other job`, async () => {
    for (const results of ['missing', 'other_shape'] as const) {
      await using bench = await open(kase);
      bench.counterpart.results = results;
      await assert.rejects(bench.run(), isFailure({ badResult: true, blame: 'backend' }), results);
      assert.equal(bench.counterpart.jobs, 1);
    }
  });

  if (kase.fetches === undefined) return;
  test(`${kase.engine} fetches a result again that did not come whole`, async () => {
    await using bench = await open(kase);
    const handle = await bench.submit();
    bench.counterpart.mishaps('result', { status: 404 });
    await assert.rejects(bench.follow(handle), isFailure({ badResult: true }));
    const { files } = await bench.follow(handle);
    assert.equal(files.length, bench.job.outputs);
    assert.equal(bench.counterpart.jobs, 1);
  });

  if (kase.fetches !== 'addresses') return;
  test(`${kase.engine} goes to no address that is refused, and does not name it`, async () => {
    await using bench = await open(kase);
    bench.counterpart.results = 'elsewhere';
    await assert.rejects(bench.run(), (error) => {
      isFailure({ blame: 'render', code: 'render_failed', badResult: false })(error);
      return !/127\.|localhost|http/.test(String(error));
    });
  });
}

function testCancel<Server extends Counterpart>(kase: DriverCase<Server>): void {
  test(`${kase.engine} ends its own job at most, never another's`, async () => {
    await using bench = await open(kase);
    bench.counterpart.held = true;
    const handle = await bench.submit();
    const outcome = await bench.driver.cancel(overWire(handle), never);
    assert.ok(['canceled', 'too_late', 'unknown'].includes(outcome));
    assert.equal(bench.counterpart.endedForeign, false);
    bench.counterpart.mishaps('cancel', { status: 500 });
    assert.ok(['canceled', 'too_late', 'unknown'].includes(await bench.driver.cancel(handle, never)));
  });

  test(`${kase.engine} lets a job that it cannot stop go on to its end`, async () => {
    await using bench = await open(kase);
    const { counterpart, driver } = bench;
    counterpart.held = true;
    const handle = await bench.submit();
    const following = bench.follow(handle);
    following.catch(() => {});
    while (counterpart.jobs === 0) await new Promise((resolve) => setImmediate(resolve));
    const outcome = await driver.cancel(handle, never);
    counterpart.release();
    if (outcome === 'unknown') assert.equal((await following).files.length, bench.job.outputs);
    else await following.catch(() => {});
    assert.equal(counterpart.jobs, 1);
  });
}

/**
 * Returns the properties of a refusal as they are expected in `follow`. A synchronous engine refuses after its request
 * was sent, so the failure comes while the job is followed. `sent` belongs to `submit` only; a job that was refused
 * before it began is `untaken`.
 */
function refusalIn(
  kase: Pick<DriverCase, 'isSynchronous' | 'route'>,
  status: number,
  { sent, ...common }: Partial<EngineFailure>,
): Partial<EngineFailure> {
  if (kase.isSynchronous !== true) return { ...common, untaken: false, ...(sent && { sent }) };
  const isLost = sent === 'unknown';
  return {
    ...common,
    untaken: [401, 402, 403, 425, 429].includes(status),
    ...(isLost && { code: codeOfLost(kase) }),
  };
}

/** Returns the code that a synchronous engine's lost answer has. */
function codeOfLost({ route }: Pick<DriverCase, 'route'>): EngineFailure['code'] {
  return onUnknownOf(route) === 'retry' ? 'render_failed' : 'outcome_unknown';
}

/** Returns JSON as a database row would return it. */
function overWire<T extends JsonValue>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

async function open<Server extends Counterpart>(kase: DriverCase<Server>) {
  const { start, createDriver, route, files = new Map(), values, uniqueTargets = [] } = kase;
  const counterpart = await start();
  jobs += 1;
  const id = `00000000-0000-4000-8000-${String(jobs).padStart(12, '0')}`;
  const outputs = route.outputs.max_per_job;
  const job: EngineJob = { id, route, files, values, uniqueTargets, outputs };
  const connect = (): Driver =>
    createDriver({
      backend: { name: 'gpu1', url: counterpart.url, headers: {}, secret, egressAllow: [] },
      log: { warn: () => {}, debug: () => {} },
      pollMs: { first: 2, quiet: 10 },
    });
  const driver = connect();
  const bench = {
    counterpart,
    driver,
    job,
    another: connect,
    submit: async () => driver.submit(await driver.prepare(job, never), job.id, never),
    follow: (handle: Handle, by = driver, signal = never) => follow(by, handle, job, signal),
    run: async () => bench.follow(await bench.submit()),
    [Symbol.asyncDispose]: async () => {
      await driver[Symbol.asyncDispose]();
      await counterpart[Symbol.asyncDispose]();
    },
  };
  return bench;
}

async function follow(
  driver: Driver,
  handle: Handle,
  { id, route, files, outputs }: EngineJob,
  signal: AbortSignal,
): Promise<EngineResult> {
  const own = await mkdtemp(join(folder, 'job-'));
  let last: EngineResult | undefined;
  for await (const news of driver.follow(handle, { id, route, files, outputs, folder: own }, signal)) {
    assert.equal(last, undefined, 'nothing comes after the result');
    if (news.type === 'result') last = news;
    if (news.type === 'progress' && news.fraction !== null) {
      assert.ok(news.fraction >= 0 && news.fraction <= 1, `fraction ${news.fraction}`);
    }
  }
  assert.ok(last, 'a result comes last');
  return last;
}

/** Matches a failure with these properties whose messages do not contain the key. */
function isFailure(expected: Partial<EngineFailure>): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof EngineFailure, `not an EngineFailure: ${String(error)}`);
    for (const [key, value] of Object.entries(expected)) {
      assert.equal(error[key as keyof EngineFailure], value, `${key} of "${error.message}"`);
    }
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      assert.ok(!cause.message.includes(secret), 'the key stands in an error');
    }
    return true;
  };
}
