import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from './backend-answer.ts';
import { unusable, type Downloads } from './download.ts';
import type { EngineResult, FollowedJob } from './driver.ts';
import { valuesAt } from './json-pointer.ts';
import type { JsonValue } from './route.ts';

/** Maximum bytes of one result. Those of ComfyUI are in `engines/comfyui/src/results.ts`. */
export const maxResultBytes = { image: 256 * 1024 * 1024, video: 2 * 1024 * 1024 * 1024 } as const;
/**
 * Matches base64 without whitespace at its end. Each character can match in one place only, so that no input makes the
 * match slow.
 */
const base64 = /^[A-Za-z0-9+/_\s-]+={0,2}$/;

export interface ResultSource {
  /** Name of the backend, for messages. */
  readonly backend: string;
  readonly downloads: Pick<Downloads, 'save'>;
  /** The default pointer to the files, where the route has none. */
  readonly at: string;
}

/**
 * Writes the files that an answer contains or names into the job's folder. A file is a data URI, base64 or an address,
 * either directly or in an object as `url` or `b64_json`. @throws EngineFailure `badResult` where there is no file or a
 * file cannot be fetched; as `Downloads.save`
 */
export async function saveResults(
  answer: JsonValue | undefined,
  job: FollowedJob,
  { backend, downloads, at }: ResultSource,
  signal: AbortSignal,
): Promise<EngineResult['files']> {
  const { outputs } = job.route;
  const found = valuesAt(answer, outputs.at ?? at).slice(0, job.outputs);
  if (found.length === 0) throw unusable(backend, 'is not where the route says');
  const blocked = outputs.nsfw_at === undefined ? [] : valuesAt(answer, outputs.nsfw_at);
  const files: { path: string; nsfw?: boolean }[] = [];
  for (const [index, value] of found.entries()) {
    const path = join(job.folder, `result-${index}`);
    await saveOne(textOf(value), path);
    const nsfw = blocked[index];
    files.push(nsfw === undefined ? { path } : { path, nsfw: nsfw === true || nsfw === 'true' });
  }
  return files;

  async function saveOne(text: string | undefined, path: string): Promise<void> {
    if (text === undefined || text === '') throw unusable(backend, 'is no file');
    if (/^https?:\/\//i.test(text)) {
      await downloads.save(text, { path, maxBytes: maxResultBytes[outputs.kind], signal });
      return;
    }
    const encoded = text.replace(/^data:[^,]{0,200};base64,/i, '');
    if (!base64.test(encoded.trimEnd())) throw unusable(backend, 'is neither an address nor base64');
    await writeFile(path, Buffer.from(encoded, 'base64'), { signal });
  }
}

function textOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return undefined;
  for (const key of ['url', 'b64_json', 'image']) {
    const text = value[key];
    if (typeof text === 'string' && text !== '') return text;
  }
  return undefined;
}
