// Tests what operators get in `deploy/`: rules that should notify a person do so, and every metric that is named
// exists.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..');
const prometheus = path.join(root, 'deploy/prometheus');

const promtool = findProgram('promtool');
const noPromtool = promtool === undefined && 'there is no promtool; PROMTOOL_PATH may name one';

describe('deploy', () => {
  /** Names of all our metrics, read from the sources. */
  let known: Set<string>;
  before(async () => {
    known = new Set();
    for await (const file of glob('{server-kit,service,studio}/src/**/*.ts', { cwd: root })) {
      const text = await readFile(path.join(root, file), 'utf8');
      for (const [, name = ''] of text.matchAll(/name: '(renderkit_\w+)'/g)) known.add(name);
    }
  });

  for (const file of ['prometheus/alerts.yaml', 'grafana/renderkit.json'])
    test(`${file} names metrics that there are`, async () => {
      const text = await readFile(path.join(root, 'deploy', file), 'utf8');
      const named = [...text.matchAll(/\brenderkit_\w+/g)].map(([name]) =>
        name.replace(/_(count|bucket|sum)$/, ''),
      );
      assert.ok(named.length > 10);
      assert.deepEqual(
        named.filter((name) => !known.has(name)),
        [],
      );
    });

  test('the example of Prometheus asks each part at the port where image and units let it listen', async () => {
    const example = await readFile(path.join(prometheus, 'prometheus.yaml'), 'utf8');
    const asked = [...example.matchAll(/\['[\w.]+:(\d+)'\], labels: \{ part: (\w+) \}/g)];
    const image = await readFile(path.join(root, 'Containerfile'), 'utf8');
    const [, service, studio, worker] = / PORT=(\d+) STUDIO_PORT=(\d+) WORKER_PORT=(\d+) /.exec(image) ?? [];
    assert.deepEqual(Object.fromEntries(asked.map(([, port, part]) => [part, port])), {
      service,
      studio,
      worker,
    });
    const units = await readFile(path.join(root, 'deploy/systemd/renderkit.env'), 'utf8');
    assert.equal(/^WORKER_PORT=(\d+)$/m.exec(units)?.[1], worker);
  });

  test('each rule has a case in which it calls somebody', async () => {
    const rules = await readFile(path.join(prometheus, 'alerts.yaml'), 'utf8');
    const cases = await readFile(path.join(prometheus, 'alerts.test.yaml'), 'utf8');
    const calling = new Set(
      [...cases.matchAll(/alertname: (\w+)\n\s+eval_time: \w+\n\s+exp_alerts:\n/g)].map(([, name]) => name),
    );
    const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    assert.deepEqual(
      names.filter((name) => !calling.has(name)),
      [],
    );
  });

  test('the rules do as their cases say', { skip: noPromtool }, async () => {
    const { stdout } = await run(promtool ?? '', ['test', 'rules', 'alerts.test.yaml'], { cwd: prometheus });
    assert.match(stdout, /SUCCESS/);
  });
});
