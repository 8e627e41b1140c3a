import type { CounterpartAnswer } from '@renderkit/engine-kit/testing/counterpart.ts';

/** `GET /view`: returns a file, or a part of it. */
export function viewFile(
  files: ReadonlyMap<string, Buffer>,
  query: URLSearchParams,
  range: string | undefined,
): CounterpartAnswer {
  const [filename, subfolder] = [query.get('filename') ?? '', query.get('subfolder') ?? ''];
  if (filename.startsWith('/') || filename.includes('..')) return { status: 400 };
  const key = [query.get('type') ?? 'output', subfolder, filename].filter((part) => part !== '').join('/');
  const bytes = files.get(key);
  if (bytes === undefined) return { status: 404 };
  const headers = {
    'accept-ranges': 'bytes',
    'content-type': 'image/png',
    'content-disposition': `filename="${filename}"`,
    etag: `"${bytes.length}"`,
  };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === undefined) return { bytes, headers };
  if (Number(first) >= bytes.length)
    return { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } };
  const part = bytes.subarray(Number(first), last === '' ? undefined : Number(last) + 1);
  const end = Number(first) + part.length - 1;
  return {
    status: 206,
    bytes: part,
    headers: { ...headers, 'content-range': `bytes ${first}-${end}/${bytes.length}` },
  };
}

/** `POST /upload/image`: if a file with other content has the name, the upload gets a new name. */
export function storeUpload(
  files: Map<string, Buffer>,
  body: Buffer,
  contentType: string,
): CounterpartAnswer {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1] ?? '-';
  const fields = new Map<string, { bytes: Buffer; fileName: string | undefined }>();
  for (const part of body.toString('latin1').split(`--${boundary}`)) {
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const name = /name="([^"]*)"/.exec(head)?.[1];
    const bytes = Buffer.from(rest.join('\r\n\r\n').replace(/\r\n$/, ''), 'latin1');
    if (name !== undefined) fields.set(name, { bytes, fileName: /filename="([^"]*)"/.exec(head)?.[1] });
  }
  const image = fields.get('image');
  const text = (name: string): string => fields.get(name)?.bytes.toString('utf8') ?? '';
  const subfolder = text('subfolder');
  if (image?.fileName === undefined || image.fileName.includes('..') || subfolder.includes('..'))
    return { status: 400 };
  const keyOf = (name: string): string => ['input', subfolder, name].filter((part) => part !== '').join('/');
  const dot = image.fileName.lastIndexOf('.');
  let name = image.fileName;
  for (let at = 1; text('overwrite') !== 'true'; at += 1) {
    const there = files.get(keyOf(name));
    if (there === undefined || there.equals(image.bytes)) break;
    name = `${image.fileName.slice(0, dot)} (${at})${image.fileName.slice(dot)}`;
  }
  files.set(keyOf(name), image.bytes);
  return { json: { name, subfolder, type: 'input' } };
}
