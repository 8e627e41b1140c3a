import type { Answer } from './harness.ts';

/** One part of a form. A part with a file name is a file. */
export type Part = { name: string; value: string | Uint8Array; fileName?: string };

/** Posts a multipart form and reads the whole answer. */
export async function postForm<Body = Record<string, unknown>>(
  url: string,
  key: string,
  parts: readonly Part[],
  signal?: AbortSignal,
): Promise<Answer<Body>> {
  const form = new FormData();
  for (const { name, value, fileName } of parts) {
    if (fileName === undefined) form.append(name, String(value));
    else form.append(name, new Blob([Buffer.from(value)]), fileName);
  }
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(url, { method: 'POST', headers, body: form, ...(signal && { signal }) });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) as Body };
}
