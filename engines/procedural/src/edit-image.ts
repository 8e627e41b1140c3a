import { setImmediate as nextTurn } from 'node:timers/promises';
import { fitMask, type Mask, readMask } from '@renderkit/media-kit/mask.ts';
import {
  EngineError,
  type ImageEditRequest,
  type Inpaint,
  type RenderedImage,
  type Size,
} from '@renderkit/engine-kit/engine.ts';
import type { Report } from '@renderkit/engine-kit/report.ts';
import { readBrief } from './brief.ts';
import { checkSide, SIDES } from './check-request.ts';
import { DrawingReport } from './drawing-report.ts';
import { encodeImage, type Bitmap } from './encode.ts';
import type { ProceduralModel } from './models.ts';
import { fillHole } from './inpaint/fill-hole.ts';
import { findHole } from './inpaint/hole.ts';
import { measureImage, readImage, toBitmap, toRaster } from './image.ts';
import { composeScene, type Scene } from './scene.ts';
import { matchTones } from './tone-match.ts';
import { giveWay, paintFresh, redraw } from './transform.ts';

/**
 * Limit for the pixels of an output with its source's ratio. A larger source is scaled down to this limit. Other
 * engines have the same limit by `maxKeptPixels` in `studio/src/renders/request-shape.ts`.
 */
const MAX_PIXELS = 4_194_304;

/** Makes images from an image: completely redrawn, or changed where a mask is white. */
export async function* editImages(
  request: ImageEditRequest,
  model: ProceduralModel,
  { signal, report }: { signal: AbortSignal; report: Report },
): AsyncGenerator<RenderedImage> {
  const { image, inpaint, outputs } = request;
  const shown = await measureImage(image);
  const size = request.size ?? ownSize(shown);
  checkSide(size);
  const kept = size.width === shown.width && size.height === shown.height;
  const source = await readImage(image, kept ? null : size);
  const mask = inpaint && (await maskOf(inpaint, shown, size));
  const hole = mask && findHole(mask);
  const briefOf = await readBrief(request);
  for (let index = 0; index < outputs; index++) {
    await nextTurn();
    signal.throwIfAborted();
    const drawing = new DrawingReport(report, index, outputs);
    const brief = briefOf(index, size);
    const filled =
      hole && inpaint && fillHole(source, hole, brief, { ...inpaint, model, strength: request.strength });
    const scene = { ...composeScene(brief), show: drawing.show };
    const change = filled ?? drawChange(request, source, scene, model);
    const edited = mask === null ? change : changeUnder(mask, source, change);
    const alpha = source.alpha && mask ? coverUnder(mask, source.alpha) : null;
    drawing.encoding();
    await nextTurn();
    signal.throwIfAborted();
    yield { ...(await encodeImage(edited, alpha)), index, nsfw: false };
  }
}

/**
 * Returns the exact size of the source. If this size is too large or too small, returns a size of the same ratio with
 * even sides.
 */
export function ownSize({ width, height }: Size): Size {
  const share = Math.min(1, Math.sqrt(MAX_PIXELS / (width * height)), SIDES.max / Math.max(width, height));
  const enlarged = Math.max(share, SIDES.min / Math.min(width, height));
  if (enlarged === 1) return { width, height };
  const even = (side: number) => Math.max(SIDES.min, Math.round((side * enlarged) / 2) * 2);
  const size = { width: even(width), height: even(height) };
  if (Math.max(size.width, size.height) > SIDES.max)
    throw new EngineError('invalid_request', 'The picture is too long and narrow to work on.');
  return size;
}

async function maskOf({ mask, blur }: Inpaint, shown: Size, size: Size): Promise<Mask> {
  const read = await readMask(mask.path).catch((cause: unknown) => {
    throw new EngineError('unreadable_reference', 'The mask could not be read.', { cause });
  });
  // The blur is given in pixels of the original source.
  return fitMask(read, shown, { size, blur: (blur * size.width) / shown.width });
}

function drawChange(
  { inpaint, strength }: ImageEditRequest,
  source: Bitmap,
  scene: Scene,
  model: ProceduralModel,
): Bitmap {
  const fresh = paintFresh(scene, model);
  if (inpaint?.type === 'fill') return settle(fresh, source, strength);
  const redrawn = redraw(source, fresh, scene, model, strength);
  const keep = inpaint ? KEEP_WHEN_REFINING : 0;
  return giveWay({ source, redrawn, fresh }, scene, strength, { keep, cut: model === 'papercut' });
}

/** For a refinement: the share of the new image's own forms that is left out. */
const KEEP_WHEN_REFINING = 0.7;

/** Adapts the fill of a hole to the light around it. The weaker the change, the more it adapts. */
function settle(fresh: Bitmap, source: Bitmap, strength: number): Bitmap {
  const image = toRaster(fresh);
  matchTones(image, source, 0.2 + (1 - strength) * 0.6);
  return toBitmap(image);
}

function changeUnder(mask: Mask, source: Bitmap, change: Bitmap): Bitmap {
  const bytes = Buffer.from(source.bytes);
  for (const [pixel, share] of mask.bytes.entries()) {
    if (share === 0) continue;
    for (let index = pixel * 3; index < pixel * 3 + 3; index++) {
      const old = bytes[index] ?? 0;
      bytes[index] = Math.round(old + (((change.bytes[index] ?? 0) - old) * share) / 255);
    }
  }
  return { ...source, bytes };
}

/** Raises alpha under the mask, so that drawing in a transparent place becomes visible. */
const coverUnder = (mask: Mask, alpha: Buffer): Buffer =>
  Buffer.from(alpha.map((value, pixel) => value + ((255 - value) * (mask.bytes[pixel] ?? 0)) / 255));
