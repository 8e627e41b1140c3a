import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCeph, unlessCeph } from '../s3/ceph.ts';
import { type Machine, unlessMachines } from './machines.ts';

/** Debian's PostgreSQL; its package creates the account that it runs under. */
const programs = '/usr/lib/postgresql/15/bin';
const makeBucket = path.join(import.meta.dirname, 'make-bucket.ts');
const s3Port = 7480;
const postgresWithinMs = 60_000;

/** For a test's `skip`. */
export const unlessDataMachine: string | false =
  unlessMachines ||
  unlessCeph ||
  (!existsSync(`${programs}/postgres`) && 'PostgreSQL 15 is not installed here');

/**
 * Starts an empty PostgreSQL and an S3 storage with the bucket `renderkit-media` on a machine; all other machines can
 * reach both. Returns the environment for a shell on that machine: where PostgreSQL's programs and socket are, and the
 * key of the storage.
 */
export async function startDataMachine(
  machine: Machine,
): Promise<AsyncDisposable & { environment: Record<string, string> }> {
  await using owned = new AsyncDisposableStack();
  const socketDirectory = await startPostgres(machine, owned);
  const { config } = owned.use(
    await startCeph({ enter: machine.enter, address: machine.address, port: s3Port }),
  );
  const credentials = {
    S3_ACCESS_KEY_ID: config.accessKeyId,
    S3_SECRET_ACCESS_KEY: config.secretAccessKey,
  };
  const [program, ...line] = [
    ...machine.enter,
    process.execPath,
    '--conditions=renderkit-source',
    makeBucket,
  ];
  execFileSync(program, line, {
    env: { ...process.env, ...credentials, S3_ENDPOINT: config.endpoint, S3_BUCKET: 'renderkit-media' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kept = owned.move();
  return {
    environment: {
      PATH: `${programs}:${process.env['PATH'] ?? ''}`,
      PGHOST: socketDirectory,
      ...credentials,
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Returns the directory of its socket. */
async function startPostgres(machine: Machine, owned: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-pg-'));
  owned.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const data = path.join(folder, 'data');
  execFileSync('install', ['-d', '-o', 'postgres', '-m', '700', data]);
  const settled = ['--reuid=postgres', '--regid=postgres', '--clear-groups'];
  const asPostgres = ['setpriv', ...settled];
  // The same settings as on Debian's servers.
  const authentication = ['--auth-local=peer', '--auth-host=scram-sha-256'];
  execFileSync(
    'setpriv',
    [...settled, `${programs}/initdb`, '-D', data, '-E', 'UTF8', '--locale=C', ...authentication],
    { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await appendFile(path.join(data, 'pg_hba.conf'), 'host all all samenet scram-sha-256\n');
  const settings = ['-c', 'listen_addresses=*', '-c', `unix_socket_directories=${data}`];
  const [enter = '', ...entering] = machine.enter;
  const server = spawn(enter, [...entering, ...asPostgres, `${programs}/postgres`, '-D', data, ...settings], {
    cwd: '/',
    stdio: 'ignore',
  });
  const ended = once(server, 'exit');
  owned.defer(async () => {
    server.kill('SIGINT');
    await ended;
  });
  for (const deadline = performance.now() + postgresWithinMs; ; await sleep(100)) {
    if (isReady(data)) return data;
    if (server.exitCode !== null || performance.now() > deadline)
      throw new Error('PostgreSQL did not start on its machine');
  }
}

function isReady(socketDirectory: string): boolean {
  try {
    execFileSync(`${programs}/pg_isready`, ['-q', '-h', socketDirectory]);
    return true;
  } catch {
    return false;
  }
}
