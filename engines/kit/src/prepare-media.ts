import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Fit } from '@renderkit/media-kit/media-jobs.ts';
import { imageLimits, runMediaJob, UnreadableMedia } from '@renderkit/media-kit/media-processes.ts';
import { MediaToolError, notTheFile } from '@renderkit/media-kit/media-tool-error.ts';
import { copyAudio, copyVideo } from '@renderkit/media-kit/plain-copy.ts';
import { type BoundValue, EngineFailure, type PreparedMedia } from './driver.ts';
import type { Size } from './engine.ts';
import type { BoundMedium, ResolvedBinding } from './resolve-bindings.ts';
import type { ImageBinding } from './route.ts';

/** A file of a request on this machine. It was inspected on arrival, but its bytes are still untrusted. */
export interface SourceFile {
  readonly path: string;
  readonly type: 'image' | 'video' | 'audio';
  /** Pixels, as a viewer shows the file. */
  readonly width: number | null;
  readonly height: number | null;
}

export interface PrepareMediaOptions {
  /** The working size. */
  readonly size: Size;
  /** Size of the image that a mask belongs to. */
  readonly imageSize: Size | null;
  /** How soft a mask's edge is, in pixels of its image. */
  readonly maskBlur: number;
  /** A folder of this job only; may exist already. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * Prepares the media of a job for its engine: at the working size, sRGB in 8 bits, without alpha or metadata. Converts
 * masks to the engine's form and names each file by its SHA-256. The same files give the same result. The pixels are
 * converted by `media-kit/src/fit-image.ts`; `resolve-bindings.ts` decides which file a target gets.
 * @throws EngineFailure with the target, where a file of the request is useless
 * @throws MediaToolError where this machine could not prepare it
 */
export async function prepareMedia(
  bindings: readonly ResolvedBinding<SourceFile>[],
  options: PrepareMediaOptions,
): Promise<BoundValue[]> {
  await mkdir(options.folder, { recursive: true });
  const made = new Map<string, Promise<PreparedMedia>>();
  const prepareOnce = (medium: BoundMedium<SourceFile>, picture: ImageBinding) => {
    const key = JSON.stringify([medium, { ...picture, item: undefined }]);
    const prepared = made.get(key) ?? prepare(medium, picture, options, String(made.size));
    made.set(key, prepared);
    return prepared;
  };
  const values: BoundValue[] = [];
  for (const binding of bindings) {
    if (binding.kind !== 'media') {
      values.push(binding);
      continue;
    }
    const { target, kind, several, picture } = binding;
    const media: PreparedMedia[] = [];
    for (const medium of binding.media) media.push(await explained(target, prepareOnce(medium, picture)));
    values.push({ target, kind, several, media });
  }
  return values;
}

async function explained<T>(target: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const isFile =
      cause instanceof UnreadableMedia ||
      (cause instanceof MediaToolError && !notTheFile.includes(cause.kind));
    if (!isFile) throw cause;
    const options = { blame: 'render', code: 'invalid_request', target, cause } as const;
    throw new EngineFailure(`A file for ${target} cannot be read: ${(cause as Error).message}`, options);
  }
}

async function prepare(
  medium: BoundMedium<SourceFile>,
  picture: ImageBinding,
  options: PrepareMediaOptions,
  name: string,
): Promise<PreparedMedia> {
  const type = 'file' in medium ? medium.file.type : 'image';
  const output = path.join(options.folder, `${name}.part`);
  if ('file' in medium && type === 'video') {
    await copyVideo(medium.file.path, output, options.signal);
    return nameByContent(output, 'video/mp4');
  }
  if ('file' in medium && type === 'audio')
    return nameByContent(output, await copyAudio(medium.file.path, output, options.signal));
  return nameByContent(output, await prepareImage(medium, picture, output, options));
}

/** Returns the type of the file that was written to `output`. */
async function prepareImage(
  medium: BoundMedium<SourceFile>,
  { fit, max_pixels: maxPixels, format = 'png', mask }: ImageBinding,
  output: string,
  { size, imageSize, maskBlur, signal }: PrepareMediaOptions,
): Promise<'image/png' | 'image/jpeg'> {
  const limits = { ...imageLimits, signal };
  const isMask = medium.source === 'mask';
  const own = 'file' in medium ? (isMask ? imageSize : sizeOf(medium.file)) : null;
  const keepsOwn = (fit ?? (medium.source === 'references' ? 'own' : 'cover')) === 'own';
  const target = sizeWithin(keepsOwn && own !== null ? own : size, maxPixels ?? maxImagePixels);
  const image = 'file' in medium ? { path: medium.file.path } : { blank: medium.blank };
  const asked = { output, size: target, fit: fitOf(fit) };
  if (!isMask) {
    await runMediaJob('fitImage', { ...asked, image, format }, limits);
    return `image/${format}`;
  }
  await runMediaJob(
    'fitMask',
    {
      ...asked,
      mask: image,
      imageSize: imageSize ?? target,
      blur: maskBlur,
      changes: conventions[mask ?? 'white_changes'],
    },
    limits,
  );
  return 'image/png';
}

const conventions = {
  white_changes: 'white',
  black_changes: 'black',
  transparent_changes: 'transparent',
} as const;
/** Limit for a file that keeps its own size. */
const maxImagePixels = 16_777_216;

const fitOf = (fit: ImageBinding['fit']): Fit =>
  fit === 'stretch' ? 'fill' : fit === 'contain' ? 'contain' : 'cover';

function sizeOf({ width, height }: SourceFile): Size | null {
  return width === null || height === null ? null : { width, height };
}

function sizeWithin({ width, height }: Size, maxPixels: number): Size {
  const scale = Math.min(1, Math.sqrt(maxPixels / (width * height)));
  const side = (length: number) => Math.max(1, scale === 1 ? length : Math.floor(length * scale));
  return { width: side(width), height: side(height) };
}

const extensions: Record<PreparedMedia['contentType'], string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'video/mp4': 'mp4',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
};

async function nameByContent(
  file: string,
  contentType: PreparedMedia['contentType'],
): Promise<PreparedMedia> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const sha256 = hash.digest('hex');
  const named = path.join(path.dirname(file), `${sha256}.${extensions[contentType]}`);
  await rename(file, named);
  return { path: named, sha256, contentType, sizeBytes: (await stat(named)).size };
}
