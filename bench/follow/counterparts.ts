import { ComfyCounterpart } from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { FalCounterpart } from '@renderkit/engine-fal/testing/counterpart.ts';
import type { Counterpart } from '@renderkit/engine-kit/testing/counterpart.ts';
import { VideosCounterpart } from '@renderkit/engine-openai-videos/testing/counterpart.ts';
import { ReplicateCounterpart } from '@renderkit/engine-replicate/testing/counterpart.ts';
import { serveParent } from '../child.ts';
import type { FollowedEngine } from './rows.ts';

export type CounterpartReport = Record<FollowedEngine, { url: string; jobs: number; looks: number }>;

/** Counterparts of providers and of a machine that take jobs and never end them. */
await serveParent(async () => {
  const fal = await new FalCounterpart().start();
  const replicate = await new ReplicateCounterpart().start();
  const videos = await new VideosCounterpart().start();
  const comfyui = await new ComfyCounterpart().start();
  const tell = (counterpart: Counterpart, url: string) => {
    counterpart.held = true;
    return () => ({ url, jobs: counterpart.jobs, looks: counterpart.asked.look });
  };
  const report = {
    fal: tell(fal, fal.url),
    replicate: tell(replicate, replicate.base),
    'openai-videos': tell(videos, `${videos.url}/v1`),
    comfyui: tell(comfyui, comfyui.url),
  };
  return async (): Promise<CounterpartReport> => ({
    fal: report.fal(),
    replicate: report.replicate(),
    'openai-videos': report['openai-videos'](),
    comfyui: report.comfyui(),
  });
});
