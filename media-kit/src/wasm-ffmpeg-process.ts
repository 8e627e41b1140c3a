// Runs the WebAssembly build of ffmpeg, with a new instance for each run. Only wasm-ffmpeg.ts starts this process.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { endWithParent } from './end-with-parent.ts';
import { createTail } from './tail.ts';
import type { WasmAnswer, WasmTask } from './wasm-ffmpeg.ts';
import { createDiskFiles, type EmscriptenFs, OutputTooLarge } from './wasm-files.ts';

/** The used parts of @ffmpeg/core, which has no types. */
type Core = {
  FS: EmscriptenFs;
  exec: (...args: string[]) => number;
  setLogger: (logger: (line: { type: string; message: string }) => void) => void;
};
type CreateCore = (options: {
  instantiateWasm: (imports: object, done: (instance: object, compiled: object) => void) => object;
}) => Promise<Core>;
/** Node has this global, but only the types for browsers declare it. */
declare const WebAssembly: {
  compile: (bytes: Uint8Array) => Promise<object>;
  Instance: new (compiled: object, imports: object) => object;
};

const directory = '/files';

const require = createRequire(import.meta.url);
// The build is made for a browser's worker and reads the address that it was loaded from.
Object.assign(globalThis, { self: { location: { href: 'file:///' } } });
/** The compiled module is kept, because compiling takes longer than most runs. */
let compiled: object | undefined;

endWithParent();
process.on('message', (task: WasmTask) => {
  void run(task).then((answer) => process.send?.(answer));
});

async function run(task: WasmTask): Promise<WasmAnswer> {
  try {
    return runIn(await loadCore(), task);
  } catch (error) {
    const { message } = error as Error;
    return { type: 'unavailable', message: `ffmpeg for WebAssembly could not be loaded: ${message}` };
  }
}

function runIn(core: Core, task: WasmTask): WasmAnswer {
  const tail = createTail();
  core.setLogger(({ message }) => message !== 'Aborted()' && tail.add(`${message}\n`));
  const files = createDiskFiles(core.FS, task);
  try {
    core.FS.mkdir(directory);
    core.FS.mount(files.type, {}, directory);
    const names = new Set([...Object.keys(task.inputs), ...Object.keys(task.outputs)]);
    const args = task.args.map((arg) => (names.has(arg) ? `${directory}/${arg}` : arg));
    const exitCode = core.exec('-hide_banner', '-loglevel', 'error', ...args);
    if (files.tooLarge()) return { type: 'output_too_large' };
    return ended(exitCode, tail.text());
  } catch (error) {
    if (error instanceof OutputTooLarge) return { type: 'output_too_large' };
    return ended(-1, `${tail.text()} ${(error as Error).message}`);
  } finally {
    files.close();
  }
}

function ended(exitCode: number, stderrTail: string): WasmAnswer {
  return { type: 'ended', exitCode, stderrTail, residentBytes: process.memoryUsage.rss() };
}

async function loadCore(): Promise<Core> {
  const create = require('@ffmpeg/core') as CreateCore;
  compiled ??= await WebAssembly.compile(await readFile(require.resolve('@ffmpeg/core/wasm')));
  const build = compiled;
  return create({
    instantiateWasm: (imports, done) => {
      const instance = new WebAssembly.Instance(build, imports);
      done(instance, build);
      return (instance as { exports: object }).exports;
    },
  });
}
