import type { Preview, Progress } from '@renderkit/contract/v1/schemas/progress.ts';
import { buildAddress } from './client.ts';
import { v1Paths } from './paths.ts';

/** What is told of a generation while it is on its way. */
export type GenerationNews = {
  progress: (progress: Progress) => void;
  /** Its address has the bytes in it. */
  preview: (preview: Preview) => void;
  /** It has ended. */
  done?: () => void;
};

/**
 * Follows a generation as the signed-in person, until it has ended or the returned function is called. Where the stream cannot be
 * read nothing is told, and a broken one is opened again.
 */
export function watchGeneration(id: string, news: GenerationNews): () => void {
  const [, path] = v1Paths.watchGeneration;
  const source = new EventSource(buildAddress(`/console/api${path}`, { id }, { preview: 'inline' }));
  const hear = <T>(event: string, take: (data: T) => void) =>
    source.addEventListener(event, ({ data }: MessageEvent<string>) => take(JSON.parse(data) as T));
  hear('progress', news.progress);
  hear('preview', news.preview);
  source.addEventListener('done', () => {
    source.close();
    news.done?.();
  });
  return () => source.close();
}
