import type { Preview, Progress } from 'renderkit';
import { Follower } from 'renderkit/follow';
import { transport } from './client.ts';
import { isTransient } from './errors.ts';

/** What is told of a generation while it is on its way. */
export type GenerationNews = {
  progress: (progress: Progress) => void;
  /** Its address has the bytes in it. */
  preview: (preview: Preview) => void;
  /** It has the status that it began to be watched with, or another. */
  status: () => void;
};

const follower = new Follower(transport);

/** Until a service that did not answer is asked again. */
const pauseMs = 5_000;

/**
 * Follows a generation as the signed-in person, until it has ended or the signal comes. Where it cannot be followed nothing
 * is told: the page has other ways to show that.
 */
export async function watchGeneration(id: string, news: GenerationNews, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await followOnce(id, news, signal);
    } catch (error) {
      if (!isTransient(error)) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

async function followOnce(id: string, news: GenerationNews, signal: AbortSignal): Promise<void> {
  for await (const event of follower.events(id, { previews: 'inline', signal })) {
    if (event.type === 'progress') news.progress(event.progress);
    if (event.type === 'preview') news.preview(event.preview);
    if (event.type === 'generation' || event.type === 'done') news.status();
  }
}
