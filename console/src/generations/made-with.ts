import type { RequestBody } from './kind-labels.ts';

/** Fields of a create that name a source, and the label for each. */
const sources: Record<string, string> = {
  image: 'Source',
  mask: 'Mask',
  start_image: 'First frame',
  end_image: 'Last frame',
  source_video: 'Source',
  video: 'Source',
  video_id: 'Source',
  reference_images: 'Reference',
  reference_audios: 'Audio',
};
/** Fields that are shown elsewhere, or that do not affect the picture. */
const leftOut = new Set(['prompt', 'model', 'project_id', 'metadata', 'nsfw_check']);

/** Returns the ids or addresses of sources in a request, with their labels. */
export function sourcesOf(body: RequestBody): { name: string; value: string }[] {
  return Object.entries(sources).flatMap(([field, name]) => {
    const values = [body[field]].flat();
    return values.flatMap((value) => (typeof value === 'string' ? [{ name, value }] : []));
  });
}

/** Returns the settings and options of a request as names and values: `aspect_ratio` becomes `Aspect ratio`. */
export function settingsOf(body: RequestBody): [name: string, value: string][] {
  const { options, ...others } = body;
  return Object.entries({ ...others, ...(options as RequestBody | undefined) }).flatMap(([field, value]) => {
    if (leftOut.has(field) || Object.hasOwn(sources, field)) return [];
    const text = Array.isArray(value) ? value.join(', ') : plain(value);
    return text === undefined || text === '' ? [] : [[nameOf(field), text] as [string, string]];
  });
}

function plain(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function nameOf(field: string): string {
  const words = field.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
