import type { Preview, Progress } from 'renderkit';
import { Follower } from 'renderkit/follow';
import { transport } from './client.ts';
import { isTransient } from './errors.ts';

/** Callbacks for a generation in progress. */
export type GenerationNews = {
  progress: (progress: Progress) => void;
  /** The preview's address contains its bytes. */
  preview: (preview: Preview) => void;
  /** Called with the initial status, and when the status changes. */
  status: () => void;
};

const follower = new Follower(transport);

/** Pause before a service that did not answer is asked again. */
const pauseMs = 5_000;

/**
 * Follows a generation as the signed-in person, until the generation has ended or the signal aborts. If following
 * fails, no callback is called: the page shows the error in other ways. `clients/sdk/src/follow.ts` decides between a
 * stream and polls.
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
