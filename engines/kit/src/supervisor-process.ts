import { spawn } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '@renderkit/server-kit/files/file-lock.ts';
import {
  killGroup,
  processBegan,
  programEnvironment,
  programFiles,
  writeWhole,
  type Program,
  type ProgramEnd,
} from './supervised-program.ts';

/** Runs the one program of its folder, and ends with it. */
const folder = process.argv[2] ?? '';
const lookMs = 100;
const graceMs = 5_000;
/** Bytes of standard error that are kept; after that the file is overwritten from its start. */
const maxStderrBytes = 1024 * 1024;
const pathOf = (name: keyof typeof programFiles) => join(folder, programFiles[name]);

const lock = tryLock(pathOf('lock'));
// A process that withdraws a start writes the stop file while it has the lock.
if (lock !== undefined && !existsSync(pathOf('begun')) && !existsSync(pathOf('stop'))) {
  // From here on no other process runs this program, whatever happens to this process.
  closeSync(openSync(pathOf('begun'), 'wx', 0o600));
  await writeWhole(pathOf('ended'), await runToEnd(JSON.parse(readFileSync(pathOf('program'), 'utf8'))));
}
lock?.[Symbol.dispose]();

function runToEnd({ run: [file = '', ...words], env, cwd }: Program): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  const child = spawn(file, words, {
    cwd,
    env: programEnvironment(env),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { pid } = child;
  if (pid !== undefined) void writeProcess(pid);
  let isStopped = false;
  let kill: NodeJS.Timeout | undefined;
  const look = setInterval(() => {
    if (isStopped || pid === undefined || !existsSync(pathOf('stop'))) return;
    isStopped = true;
    killGroup(pid, 'SIGTERM');
    kill = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs);
  }, lookMs);

  const log = openSync(pathOf('stderr'), 'w', 0o600);
  let written = 0;
  child.stderr.on('data', (chunk: Buffer) => {
    if (written + chunk.length > maxStderrBytes) {
      ftruncateSync(log, 0);
      written = 0;
    }
    written += writeSync(log, chunk, 0, chunk.length, written);
  });
  const end = (code: number | null, signal: string | null, error: string | null) => {
    clearInterval(look);
    clearTimeout(kill);
    // Processes that the program left running are killed too.
    if (pid !== undefined) killGroup(pid, 'SIGKILL');
    closeSync(log);
    resolve({ code, signal, error, isStopped });
  };
  child.once('error', (error: NodeJS.ErrnoException) => end(null, null, error.code ?? error.name));
  child.once('exit', (code, signal) => {
    child.stderr.destroy();
    if (pid !== undefined) end(code, signal, null);
  });
  return promise;
}

async function writeProcess(pid: number): Promise<void> {
  await writeWhole(pathOf('process'), { pid, began: await processBegan(pid) });
}
