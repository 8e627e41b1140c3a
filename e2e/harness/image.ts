import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const certificates = '/etc/ssl/certs/ca-certificates.crt';
const suite = 'bookworm';

/** Names a built image, which is then used instead of building one. */
const given = process.env['RENDERKIT_IMAGE'];

/** For a test's `skip`. */
export const unlessBuildah: string | false =
  (!existsSync('/usr/bin/buildah') && 'there is no buildah') ||
  (given === undefined &&
    !existsSync('/usr/sbin/debootstrap') &&
    'there is no debootstrap to make a base with');

export type Image = AsyncDisposable & {
  /** The mounted root of the image. */
  root: string;
  labels: Record<string, string>;
  /** The variables that it sets, as `NAME=value`. */
  environment: string[];
};

/** Builds the image of this tree on a base made by debootstrap, which takes some ten minutes, and mounts it. */
export async function openImage(): Promise<Image> {
  await using owned = new AsyncDisposableStack();
  const name = given ?? (await buildImage(owned));
  const container = await buildah('from', '--pull-never', name);
  owned.defer(async () => {
    await buildah('rm', container);
  });
  const mounted = await buildah('mount', container);
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', name)) as {
    Docker: { config: { Labels: Record<string, string>; Env: string[] } };
  };
  const kept = owned.move();
  return {
    root: mounted,
    labels: Docker.config.Labels,
    environment: Docker.config.Env,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function buildImage(owned: AsyncDisposableStack): Promise<string> {
  const [base, name] = [`localhost/renderkit-base-${process.pid}`, `localhost/renderkit-${process.pid}`];
  await makeBase(base);
  owned.defer(async () => {
    await buildah('rmi', '--force', name, base);
  });
  const mine = existsSync(certificates) ? ['--volume', `${certificates}:${certificates}:ro`] : [];
  await buildah(
    'build',
    '--isolation',
    'chroot',
    '--network',
    'host',
    '--format',
    'docker',
    ...mine,
    '--build-arg',
    `BASE=${base}`,
    '--tag',
    name,
    root,
  );
  return name;
}

async function makeBase(name: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-base-'));
  try {
    const tree = path.join(folder, 'base');
    await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', suite, tree]);
    const container = await buildah('from', 'scratch');
    await buildah('add', container, tree, '/');
    await buildah('commit', '--rm', container, name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildah(...line: string[]): Promise<string> {
  const { stdout } = await run('buildah', line, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}
