import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { EngineFailure, type EngineResult } from '@renderkit/engine-kit/driver.ts';
import type { RouteFiles } from '@renderkit/engine-kit/driver.ts';
import { readWorkflow, resultNodes, resultPrefix } from './assemble-graph.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ComfyApi, ServerFile } from './comfy-api.ts';
import { isWholeFile } from './is-whole-file.ts';
import { isArray, isObject, type Json, type JsonObject, valueAt } from './json.ts';

/** The results of a job of a route. Stored as JSON with the prepared call, so its field names must stay. */
export interface ResultPlan {
  readonly kind: 'image' | 'video';
  /** Number of wanted files. */
  readonly outputs: number;
  /** Prefixes of the file names, below the output folder, in the route's order. */
  readonly sources: readonly { readonly node: string; readonly prefix: string; readonly hasSound: boolean }[];
}

const videoOrAnimationName = /\.(?:mp4|webm|mov|mkv|gif|webp|apng|png)$/i;
const videoName = /\.(?:mp4|webm|mov|mkv)$/i;
/** Bytes of one result. The limits for other engines are `maxResultBytes` in `engines/kit/src/result-files.ts`. */
const maxImageBytes = 256 * 1024 * 1024;
const maxVideoBytes = 4 * 1024 * 1024 * 1024;
/** What common nodes write after a prefix and a number. */
const endings = {
  image: ['_.png', '_.webp', '_.jpg', '_.jpeg', '.png'],
  video: ['_.mp4', '_.webm', '.mp4', '.webm', '_.webp', '_.png', '.gif', '.webp'],
  sound: ['-audio.mp4', '-audio.webm', '-audio.mkv'],
} as const;

/** @throws EngineFailure blame `pair` */
export function planResults(files: RouteFiles, id: string, outputs: number): ResultPlan {
  const graph = readWorkflow(files);
  const sources = resultNodes(files).map((node, at) => ({
    node,
    prefix: resultPrefix(id, at),
    hasSound:
      graph.get(node)?.classType === 'VHS_VideoCombine' && graph.get(node)?.inputs.has('audio') === true,
  }));
  return { kind: files.route.outputs.kind, outputs, sources };
}

/** Returns the files that the history names for a job: in the order of the route's nodes, then of each node's files. */
export function filesInHistory(entry: JsonObject, plan: ResultPlan): ServerFile[] {
  return plan.sources.flatMap(({ node }) => {
    const output = valueAt(entry, 'outputs', node);
    const files = isObject(output) ? [...output.values()].flatMap(serverFiles) : [];
    if (plan.kind === 'image') return files;
    // Some nodes save an image in addition to a video.
    const videos = files.filter(({ filename }) => videoName.test(filename));
    return videos.length > 0 ? videos : files.filter(({ filename }) => videoOrAnimationName.test(filename));
  });
}

function serverFiles(list: Json): ServerFile[] {
  if (!isArray(list)) return [];
  return list.flatMap((one) => {
    const [filename, subfolder, type] = ['filename', 'subfolder', 'type'].map((key) => valueAt(one, key));
    if (typeof filename !== 'string' || filename === '') return [];
    return [
      {
        filename,
        subfolder: typeof subfolder === 'string' ? subfolder : '',
        type: typeof type === 'string' ? type : 'output',
      },
    ];
  });
}

/**
 * Finds a job's files by their names, which no other job has; numbers begin at 1. So a result is found after ComfyUI
 * has lost the job. Returns an empty list unless all wanted files exist and are complete.
 */
export async function findResultFiles(
  api: ComfyApi,
  plan: ResultPlan,
  signal: AbortSignal,
): Promise<ServerFile[]> {
  const found: ServerFile[] = [];
  for (const { prefix, hasSound } of plan.sources) {
    let likely: readonly string[] = hasSound ? endings.sound : endings[plan.kind];
    for (let number = 1; found.length < plan.outputs; number += 1) {
      const next = await findNumbered(api, { prefix, number, likely }, signal);
      if (next === undefined) break;
      found.push(next.file);
      likely = [next.ending];
    }
  }
  return found.length >= plan.outputs ? found : [];
}

async function findNumbered(
  api: ComfyApi,
  { prefix, number, likely }: { prefix: string; number: number; likely: readonly string[] },
  signal: AbortSignal,
): Promise<{ file: ServerFile; ending: string } | undefined> {
  const subfolder = path.posix.dirname(prefix);
  const stem = `${path.posix.basename(prefix)}_${String(number).padStart(5, '0')}`;
  for (const ending of likely) {
    const file = { filename: `${stem}${ending}`, subfolder, type: 'output' };
    const reader = await openServerFile(api, file, signal);
    if (reader !== undefined && (await isWholeFile(reader))) return { file, ending };
  }
  return undefined;
}

/** Opens a file on the server for reading by ranges. */
async function openServerFile(
  api: ComfyApi,
  file: ServerFile,
  signal: AbortSignal,
): Promise<ByteReader | undefined> {
  const head = await api.readRange(file, 'bytes=0-63', signal);
  if (head === undefined) return undefined;
  return {
    sizeBytes: head.sizeBytes,
    read: async (position, length) => {
      if (position + length <= head.bytes.length) return head.bytes.subarray(position, position + length);
      const last = Math.min(position + length, head.sizeBytes) - 1;
      if (position < 0 || last < position) return Buffer.alloc(0);
      return (await api.readRange(file, `bytes=${position}-${last}`, signal))?.bytes ?? Buffer.alloc(0);
    },
  };
}

/**
 * Downloads files into a folder, under our own names.
 *
 * @throws EngineFailure `badResult` if a file cannot be had
 */
export async function saveFiles(
  api: ComfyApi,
  files: readonly ServerFile[],
  { folder, plan, signal }: { folder: string; plan: ResultPlan; signal: AbortSignal },
): Promise<EngineResult> {
  if (files.length === 0) throw noResult(`A job on ${api.name} ended and named no result.`);
  await mkdir(folder, { recursive: true });
  const saved: { path: string }[] = [];
  for (const [at, file] of files.slice(0, plan.outputs).entries()) {
    const ending = /\.[a-z\d]{1,5}$/i.exec(file.filename)?.[0].toLowerCase() ?? '';
    const target = path.join(folder, `${at + 1}${ending}`);
    const maxBytes = plan.kind === 'image' ? maxImageBytes : maxVideoBytes;
    const status = await api.save(file, { path: target, maxBytes, signal });
    if (status !== 200 && status !== 206)
      throw noResult(`A result on ${api.name} is answered with ${status}.`);
    saved.push({ path: target });
  }
  return { type: 'result', files: saved };
}

function noResult(message: string): EngineFailure {
  return new EngineFailure(message, { blame: 'backend', code: 'render_failed', badResult: true });
}
