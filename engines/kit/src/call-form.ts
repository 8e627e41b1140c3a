import type { Call } from './call.ts';
import { pointerSteps } from './json-pointer.ts';
import type { MultipartPart } from './multipart.ts';

/**
 * Returns a call as a form: strings unchanged, other values as JSON, and lists of files as `image[]`, like OpenAI's
 * clients.
 */
export function formOf({ body, media }: Call): MultipartPart[] {
  const parts: MultipartPart[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue;
    parts.push({ name, value: typeof value === 'string' ? value : JSON.stringify(value) });
  }
  for (const { target, several, files } of media) {
    const field = pointerSteps(target)[0] ?? 'image';
    for (const [index, { path, sizeBytes, contentType }] of files.entries()) {
      const fileName = `${field}-${index}.${contentType.split('/')[1]}`;
      parts.push({ name: several ? `${field}[]` : field, path, sizeBytes, contentType, fileName });
    }
  }
  return parts;
}
