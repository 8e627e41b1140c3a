// Handles untrusted media, one job at a time, isolated from everything else. Only media-processes.ts starts this
// process.
import { isStorageUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import { endWithParent } from './end-with-parent.ts';
import type { MediaAnswer, MediaJob } from './media-jobs.ts';

endWithParent();
process.on('message', (job: MediaJob) => {
  void answer(job).then((message) => process.connected && process.send?.(message));
});

async function answer(job: MediaJob): Promise<MediaAnswer> {
  try {
    return { type: 'done', answer: await work(job) };
  } catch (error) {
    const type = isStorageUnavailable(error) ? 'out_of_space' : 'unreadable';
    return { type, message: (error as Error).message };
  }
}

/** Loads each library on first use, because most processes need only one. */
async function work(job: MediaJob): Promise<unknown> {
  if (job.name === 'probe') {
    const { probe } = await import('./probe.ts');
    return probe(job.ask.path, job.ask.format);
  }
  if (job.name === 'findFrame') {
    const { findFrame } = await import('./probe.ts');
    return findFrame(job.ask.path, job.ask.time);
  }
  if (job.name === 'fitImage' || job.name === 'fitMask' || job.name === 'finishImage') {
    const fitting = await import('./fit-image.ts');
    if (job.name === 'fitImage') return fitting.fitImage(job.ask);
    return job.name === 'fitMask' ? fitting.fitMaskTo(job.ask) : fitting.finishImage(job.ask);
  }
  const images = await import('./images.ts');
  if (job.name === 'decodeImage') return images.decodeImage(job.ask.path);
  if (job.name === 'shrinkImage') return images.shrinkImage(job.ask.path, job.ask.side);
  if (job.name === 'makePreview') return images.makePreview(job.ask.path, job.ask.side, job.ask.maxBytes);
  if (job.name === 'writeMaskOfAlpha') return images.writeMaskOfAlpha(job.ask.path, job.ask.output);
  return images.writeRgba(job.ask.path, job.ask.output, job.ask.maxPixels);
}
