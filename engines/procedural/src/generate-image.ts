import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImageRequest, RenderedImage } from '@renderkit/engine-kit/engine.ts';
import type { Report } from '@renderkit/engine-kit/report.ts';
import { readBrief } from './brief.ts';
import { checkSide } from './check-request.ts';
import { DrawingReport } from './drawing-report.ts';
import { encodeImage } from './encode.ts';
import type { ProceduralModel } from './models.ts';
import { composeScene } from './scene.ts';
import { paintFresh } from './transform.ts';

/** Makes images from words. */
export async function* generateImages(
  request: ImageRequest,
  model: ProceduralModel,
  { signal, report }: { signal: AbortSignal; report: Report },
): AsyncGenerator<RenderedImage> {
  checkSide(request);
  const briefOf = await readBrief(request);
  for (let index = 0; index < request.outputs; index++) {
    // Drawing blocks the thread. Between two images, an abort signal can be processed.
    await nextTurn();
    signal.throwIfAborted();
    const drawing = new DrawingReport(report, index, request.outputs);
    const scene = { ...composeScene(briefOf(index, request)), show: drawing.show };
    const bitmap = paintFresh(scene, model);
    drawing.encoding();
    await nextTurn();
    signal.throwIfAborted();
    yield { ...(await encodeImage(bitmap)), index, nsfw: false };
  }
}
