import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { WasmTask } from './wasm-ffmpeg.ts';

type Node = {
  mode: number;
  timestamp: number;
  node_ops: object;
  stream_ops: object;
  contents: Record<string, Node>;
  /** Handle of the open file on the disk. */
  handle: number;
};
type Stream = { node: Node; position: number };

/** The used parts of Emscripten's file system. */
export type EmscriptenFs = {
  mkdir: (path: string) => void;
  mount: (type: FileSystemType, options: object, mountPoint: string) => void;
  createNode: (parent: Node | null, name: string, mode: number, device: number) => Node;
  ErrnoError: new (code: number) => Error;
};
type FileSystemType = { mount: () => Node };

export class OutputTooLarge extends Error {}

const modes = { directory: 0o40777, readable: 0o100444, writable: 0o100666 };
/** Error numbers of WASI. */
const errno = { noEntry: 44, notPermitted: 63, invalid: 28 };
/** The handle of the directory itself. */
const noHandle = -1;

/**
 * Creates a flat directory for the WebAssembly build. Its files are read and written directly on the disk, so that a
 * video of 500 MB takes no memory. The build can reach nothing else on the disk.
 */
export function createDiskFiles(fs: EmscriptenFs, task: WasmTask) {
  const handles: number[] = [];
  const counter = createCounter(task.maxOutputBytes);
  const operations = { node_ops: nodeOperations(fs, counter), stream_ops: streamOperations(fs, counter) };

  const createNode = (parent: Node | null, name: string, mode: number, handle: number): Node => {
    const node = Object.assign(fs.createNode(parent, name, mode, 0), operations, {
      timestamp: Date.now(),
      contents: {},
      handle,
    });
    if (parent !== null) parent.contents[name] = node;
    return node;
  };
  const openAll = (parent: Node, files: Readonly<Record<string, string>>, mode: number, flags: string) => {
    for (const [name, file] of Object.entries(files)) {
      const handle = openSync(file, flags);
      handles.push(handle);
      createNode(parent, name, mode, handle);
    }
  };
  const type: FileSystemType = {
    mount: () => {
      const root = createNode(null, '/', modes.directory, noHandle);
      openAll(root, task.inputs, modes.readable, 'r');
      openAll(root, task.outputs, modes.writable, 'w+');
      return root;
    },
  };
  const close = () => {
    for (const handle of handles) closeSync(handle);
  };
  return { type, tooLarge: counter.tooLarge, close };
}

type Counter = { count: (node: Node, end: number) => void; tooLarge: () => boolean };

/**
 * Ends the run when too much is written. After an error for a full disk, ffmpeg would still try to write its trailer.
 */
function createCounter(maxOutputBytes: number): Counter {
  const ends = new Map<number, number>();
  let tooLarge = false;
  return {
    count: ({ handle }, end) => {
      ends.set(handle, Math.max(ends.get(handle) ?? 0, end));
      tooLarge = [...ends.values()].reduce((sum, size) => sum + size, 0) > maxOutputBytes;
      if (tooLarge) throw new OutputTooLarge();
    },
    tooLarge: () => tooLarge,
  };
}

function nodeOperations(fs: EmscriptenFs, { count }: Counter) {
  const refuse = () => {
    throw new fs.ErrnoError(errno.notPermitted);
  };
  return {
    getattr: attributesOf,
    setattr: (node: Node, attributes: { size?: number; timestamp?: number }) => {
      if (attributes.timestamp !== undefined) node.timestamp = attributes.timestamp;
      if (attributes.size === undefined) return;
      count(node, attributes.size);
      ftruncateSync(node.handle, attributes.size);
    },
    lookup: () => {
      throw new fs.ErrnoError(errno.noEntry);
    },
    readdir: (node: Node) => ['.', '..', ...Object.keys(node.contents)],
    mknod: refuse,
    rename: refuse,
    unlink: refuse,
    rmdir: refuse,
    symlink: refuse,
  };
}

function streamOperations(fs: EmscriptenFs, { count }: Counter) {
  return {
    read: ({ node }: Stream, heap: Int8Array, offset: number, length: number, position: number) =>
      readSync(node.handle, heap, offset, length, position),
    write: ({ node }: Stream, heap: Int8Array, offset: number, length: number, position: number) => {
      count(node, position + length);
      return writeSync(node.handle, heap, offset, length, position);
    },
    llseek: (stream: Stream, offset: number, whence: number) => {
      const bases = [0, stream.position, sizeOf(stream.node)];
      const position = (bases[whence] ?? 0) + offset;
      if (position < 0) throw new fs.ErrnoError(errno.invalid);
      return position;
    },
  };
}

function sizeOf({ handle }: Node): number {
  return handle === noHandle ? 4096 : fstatSync(handle).size;
}

function attributesOf(node: Node) {
  const size = sizeOf(node);
  const time = new Date(node.timestamp);
  return {
    dev: 1,
    ino: 0,
    mode: node.mode,
    nlink: 1,
    uid: 0,
    gid: 0,
    rdev: 0,
    size,
    atime: time,
    mtime: time,
    ctime: time,
    blksize: 4096,
    blocks: Math.ceil(size / 4096),
  };
}
