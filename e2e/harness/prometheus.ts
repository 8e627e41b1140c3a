import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const program = '/usr/bin/prometheus';
const files = path.join(import.meta.dirname, '../../deploy/prometheus');
const readyWithinMs = 120_000;

/** For a test's `skip`. */
export const unlessPrometheus: string | false =
  !existsSync(program) && "there is no Prometheus; Debian's package is prometheus";

export type Prometheus = AsyncDisposable & {
  /** Returns the names of the alerts that fire now. */
  firing: () => Promise<Set<string>>;
};

/**
 * Starts Prometheus with the files of `deploy/prometheus`, but faster: it reads every four seconds, since a part gives
 * its database two of them, and no alert waits. `changes`: further replacements, each of which must match in one of the
 * two files. `directory` must be writable.
 */
export async function startPrometheus(
  directory: string,
  { token, changes }: { token: string; changes: readonly (readonly [from: string, to: string])[] },
): Promise<Prometheus> {
  const folder = path.join(directory, 'prometheus');
  await mkdir(folder);
  await writeFile(path.join(folder, 'token'), token);
  const read = (name: string) => readFile(path.join(files, name), 'utf8');
  const texts = {
    'prometheus.yaml': `global: { scrape_interval: 4s, scrape_timeout: 4s, evaluation_interval: 1s }\n${await read('prometheus.yaml')}`,
    'alerts.yaml': (await read('alerts.yaml')).replaceAll(/^( +for:) \w+$/gm, '$1 1s'),
  };
  for (const [from, to] of changes) {
    const before = Object.values(texts).join('\n');
    for (const name of Object.keys(texts) as (keyof typeof texts)[])
      texts[name] = texts[name].replaceAll(from, to);
    if (Object.values(texts).join('\n') === before)
      throw new Error(`the files of Prometheus do not say ${from}`);
  }
  for (const [name, text] of Object.entries(texts)) await writeFile(path.join(folder, name), text);
  const port = await freePort();
  const child = spawn(
    program,
    [
      `--config.file=${path.join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = performance.now() + readyWithinMs; ; await sleep(100)) {
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    if (child.exitCode === null && performance.now() < deadline) continue;
    await stop();
    throw new Error('Prometheus did not start');
  }
  return {
    firing: async () => {
      const answer = await (await fetch(`${url}/api/v1/alerts`)).json();
      const { alerts } = (answer as { data: { alerts: { state: string; labels: { alertname: string } }[] } })
        .data;
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    },
    [Symbol.asyncDispose]: stop,
  };
}
