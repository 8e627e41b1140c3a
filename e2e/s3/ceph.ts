import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { StudioConfig } from '@renderkit/studio/config.ts';
import { freePort } from '../harness/free-port.ts';

const programs = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'monmaptool', 'ceph-authtool'];
const isThere = process.getuid?.() === 0 && programs.every((name) => existsSync(`/usr/bin/${name}`));

/** For a test's `skip`. */
export const unlessCeph: string | false =
  !isThere && "there is no Ceph, or this is not root; Debian's packages are ceph-mon, ceph-osd and radosgw";

export type Ceph = AsyncDisposable & { config: Omit<NonNullable<StudioConfig['s3']>, 'bucket'> };

const readyWithinMs = 120_000;
const lastLinesKept = 20;

/**
 * Starts a Ceph in memory with its S3 gateway on loopback; this takes some fifteen seconds. `machine`: starts it in a
 * network namespace, with the command that enters it, and with the gateway's address and port there.
 */
export async function startCeph(
  machine?: Readonly<{ enter: readonly string[]; address: string; port: number }>,
): Promise<Ceph> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ceph-'));
  const [monitorPort, s3Port] = [await freePort(), machine?.port ?? (await freePort())];
  const credentials = { accessKeyId: 'RENDERKITTEST', secretAccessKey: 'a-secret-of-the-tests' };
  const script = path.join(import.meta.dirname, 'ceph-up.sh');
  const settings = [
    String(monitorPort),
    String(s3Port),
    credentials.accessKeyId,
    credentials.secretAccessKey,
  ];
  const address = machine?.address ?? '127.0.0.1';
  const [program, ...words] = [...(machine?.enter ?? []), 'bash', script, path.join(folder, 'ceph')];
  const child = spawn(program, [...words, ...settings, address], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const said: string[] = [];
  const ready = new Promise<boolean>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (line) => {
        said.push(line);
        if (line === 'ready') resolve(true);
      });
    void ended.then(() => resolve(false));
    setTimeout(resolve, readyWithinMs, false).unref();
  });
  if (!(await ready)) {
    await stop();
    throw new Error(`Ceph did not start: ${said.slice(-lastLinesKept).join('\n')}`);
  }
  const endpoint = `http://${address}:${s3Port}`;
  return {
    config: { endpoint, region: 'us-east-1', ...credentials, pathStyle: true },
    [Symbol.asyncDispose]: stop,
  };
}
