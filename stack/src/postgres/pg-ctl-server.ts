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
 * Starts the server through pg_ctl. On Windows, pg_ctl removes administrator rights, with which PostgreSQL refuses to
 * run. The server is then no child process, so its end is found by polling. Settings are passed in a file, because a
 * command line would pass through cmd.exe, which interprets percent signs.
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
  // No pipes: if the server inherited one, this call would wait for it. The server writes to the log itself.
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

/** Appends the settings to those of initdb: of two values for one name, the later applies. */
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
