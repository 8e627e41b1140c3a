import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import older from '../older-release.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The release before, as `e2e/older-release.json` names it. */
export const olderRelease = older;

/** Why its tests are skipped; false when the clone has the commit. */
export const noOlderRelease: string | false =
  spawnSync('git', ['cat-file', '-e', `${older.commit}^{commit}`], { cwd: root }).status !== 0 &&
  `this clone has no commit ${older.commit.slice(0, 8)}: fetch the whole history`;

export type Tree = AsyncDisposable & { directory: string };

/** Unpacks the sources of the release before into their own directory. They run with the packages of this tree. */
export async function unpackOlderRelease(): Promise<Tree> {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-older-'));
  await using owned = new AsyncDisposableStack();
  owned.defer(() => rm(directory, { recursive: true, force: true }));
  await unpackInto(directory);
  await linkPackages(directory);
  const ours = owned.move();
  return { directory, [Symbol.asyncDispose]: () => ours.disposeAsync() };
}

async function unpackInto(directory: string): Promise<void> {
  const archive = spawn('git', ['archive', '--format=tar', older.commit], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const unpacking = spawn('tar', ['-x', '-C', directory], { stdio: ['pipe', 'ignore', 'inherit'] });
  archive.stdout.pipe(unpacking.stdin);
  const [code] = (await once(unpacking, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`tar ended by ${code}`);
}

/** Links packages of others from this tree, and workspaces from the older tree. */
async function linkPackages(directory: string): Promise<void> {
  const [from, to] = [path.join(root, 'node_modules'), path.join(directory, 'node_modules')];
  await mkdir(path.join(to, '@renderkit'), { recursive: true });
  for (const name of await readdir(from))
    if (name !== '@renderkit') await symlink(path.join(from, name), path.join(to, name));
  for (const workspace of await workspacesOf(directory)) {
    const text = await readFile(path.join(directory, workspace, 'package.json'), 'utf8');
    const { name } = JSON.parse(text) as { name: string };
    await symlink(path.join(directory, workspace), path.join(to, name));
    // Packages that two workspaces need in different versions are in the workspace's own folder.
    const own = path.join(root, workspace, 'node_modules');
    if ((await readdir(own).catch(() => [])).length > 0)
      await symlink(own, path.join(directory, workspace, 'node_modules'));
  }
}

async function workspacesOf(directory: string): Promise<string[]> {
  const text = await readFile(path.join(directory, 'package.json'), 'utf8');
  const { workspaces } = JSON.parse(text) as { workspaces: string[] };
  const folders = await Promise.all(
    workspaces.map(async (pattern) => {
      if (!pattern.endsWith('/*')) return [pattern];
      const parent = pattern.slice(0, -2);
      return (await readdir(path.join(directory, parent))).map((name) => `${parent}/${name}`);
    }),
  );
  return folders.flat();
}

/**
 * Runs one of the older release's own test files, on databases that this release prepares.
 * @throws AssertionError with the end of its output when one of its tests fails, or when it has none
 */
export async function passOlderTests(file: string): Promise<void> {
  await using tree = await unpackOlderRelease();
  await giveTimeToStart(tree);
  await prepareByThisTree(tree);
  const { code, text } = await runTests(tree, file);
  assert.equal(code, 0, text.slice(-8_000));
  assert.match(text, /^ℹ fail 0$/m);
  assert.doesNotMatch(text, /^ℹ pass 0$/m);
}

/** The older tree's tests give a part 30 seconds to start, which is too short on a busy machine. */
async function giveTimeToStart(tree: Tree): Promise<void> {
  const file = path.join(tree.directory, 'e2e/harness/part.ts');
  const text = await readFile(file, 'utf8');
  const patient = text.replace('const readyWithinMs = 30_000;', 'const readyWithinMs = 120_000;');
  assert.notEqual(patient, text);
  await writeFile(file, patient);
}

/**
 * Makes the older tree's own harness prepare databases with this tree's migrations. Everything else in it stays.
 * @throws when the older tree no longer has the lines that are replaced
 */
async function prepareByThisTree({ directory }: Tree): Promise<void> {
  const file = path.join(directory, 'e2e/harness/platform.ts');
  const text = await readFile(file, 'utf8');
  const exchanged = [
    [
      "'@renderkit/server-kit/schema/migrate.ts'",
      JSON.stringify(path.join(root, 'server-kit/src/schema/migrate.ts')),
    ],
    ['entry(`${part}/sql`)', `\`\${${JSON.stringify(root)}}/\${part}/sql\``],
  ] as const;
  for (const [line] of exchanged)
    if (!text.includes(line)) throw new Error(`the older tree's harness has no ${line}`);
  await writeFile(
    file,
    exchanged.reduce((changed, [line, instead]) => changed.replace(line, instead), text),
  );
}

async function runTests(tree: Tree, file: string): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', path.join(tree.directory, file)], {
    cwd: tree.directory,
    // It is not a test of this run, and must report its outcome as text.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}
