import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  EngineError,
  type Engine,
  type EngineRequest,
  type RenderedFile,
} from '@renderkit/engine-kit/engine.ts';
import type { Report } from '@renderkit/engine-kit/report.ts';
import { type EngineProcesses, openEngineProcesses } from '@renderkit/engine-kit/engine-processes.ts';
import { checkRequest } from './check-request.ts';
import { editImages } from './edit-image.ts';
import { extendVideos } from './video/extend-video.ts';
import { generateVideos } from './video/generate-video.ts';
import { generateImages } from './generate-image.ts';
import { type ProceduralModel, PAINTERS } from './models.ts';

/**
 * Draws images and videos from words, numbers and noise, without weights, network or training. The same request gives
 * the same bytes on the same machine. Videos are assembled in `scratch`.
 */
export function createProceduralEngine(scratch = tmpdir()): Engine {
  return {
    id: 'procedural',
    kinds: ['image', 'image_edit', 'video', 'video_extend'],
    models: Object.keys(PAINTERS),
    render: (request, signal, report) => render(request, { signal, report, scratch }),
  };
}

/** Runs the same engine in separate processes: at most `atOnce` images and the same number of videos at a time. */
export function openProceduralProcesses(atOnce: number): EngineProcesses {
  const { id, kinds, models } = createProceduralEngine();
  const processModule = path.join(import.meta.dirname, 'engine-process.ts');
  return openEngineProcesses({ id, kinds, models, processModule }, atOnce);
}

async function* render(
  request: EngineRequest,
  {
    signal,
    report = () => {},
    scratch,
  }: { signal: AbortSignal; report: Report | undefined; scratch: string },
): AsyncGenerator<RenderedFile> {
  const model = checkRequest(request);
  signal.throwIfAborted();
  try {
    yield* rendererOf(request, model, { signal, report, scratch });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof EngineError) throw cause;
    throw new EngineError('render_failed', 'The drawing broke.', { cause });
  }
}

function rendererOf(
  request: EngineRequest,
  model: ProceduralModel,
  { signal, report, scratch }: { signal: AbortSignal; report: Report; scratch: string },
): AsyncGenerator<RenderedFile> {
  switch (request.kind) {
    case 'image':
      return generateImages(request, model, { signal, report });
    case 'image_edit':
      return editImages(request, model, { signal, report });
    case 'video':
      return generateVideos(request, model, { signal, report, scratch });
    case 'video_extend':
      return extendVideos(request, { signal, report, scratch });
  }
}
