import { spawn } from 'node:child_process';
import { appendFile, copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from './initialise-cluster.ts';
import { readPidFile, type ServerOptions, type ServerProcess } from './server-process.ts';

const pollMs = 1_000;
const startSeconds = 120;
const stopSeconds = 30;

/**
 * Starts the server by pg_ctl, which on Windows takes from it the rights of an administrator that PostgreSQL refuses
 * to run with. It is no child of ours then, so its end is looked for; and its settings go through a file, because a
 * command line would pass through cmd.exe, which has its own mind about percent signs.
 */
export function startServerByPgCtl(options: ServerOptions): ServerProcess {
  const stopping = new AbortController();
  const started = start(options);
  const ended = started.then(async (up) => {
    if (!up) return 'a start that failed';
    while (!stopping.signal.aborted && (await runs(options)))
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    if (stopping.signal.aborted && !(await pgCtl(options, ['stop', '-m', 'fast', '-t', String(stopSeconds)])))
      await pgCtl(options, ['stop', '-m', 'immediate']);
    return 'itself';
  });
  return { ready: started, ended, stop: () => stopping.abort() };
}

async function start(options: ServerOptions): Promise<boolean> {
  const { dataDirectory } = options.task.place;
  await writeSettings(dataDirectory, options.settings);
  // A pipe that the server inherited would keep this call waiting: it writes to the log by itself.
  const up = await pgCtl(options, ['start', '-w', '-t', String(startSeconds), '-l', options.log.file]);
  return up && (await readPidFile(dataDirectory)).status === 'ready';
}

function runs(options: ServerOptions): Promise<boolean> {
  return pgCtl(options, ['status']);
}

function pgCtl({ task, binaries }: ServerOptions, [verb = '', ...argv]: string[]): Promise<boolean> {
  const child = spawn(binaries.pgCtl, [verb, '-D', task.place.dataDirectory, ...argv], {
    ...task.account,
    cwd: task.place.root,
    env: environment(),
    stdio: 'ignore',
    windowsHide: true,
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** Appends our settings to those that initdb wrote: of two values for one name the later holds. */
async function writeSettings(dataDirectory: string, settings: Record<string, string>): Promise<void> {
  const file = path.join(dataDirectory, 'postgresql.conf');
  const original = path.join(dataDirectory, 'postgresql.conf.initdb');
  if ((await readFile(original, 'utf8').catch(() => '')) === '') await copyFile(file, original);
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  );
  await writeFile(file, await readFile(original));
  await appendFile(file, `\n${lines.join('')}`);
}
