import type { IncomingMessage } from 'node:http';
import { type PartHead, readPartHead } from './part-head.ts';
import { readAhead } from './read-ahead.ts';

/** The body is not a valid or complete form by RFC 7578. */
export class MalformedForm extends Error {
  override name = 'MalformedForm';
}

export type FormPart = PartHead & {
  /** The bytes of the part, while they arrive. */
  content: AsyncGenerator<Buffer, void>;
};

const maxHeadBytes = 8 * 1024;
/** The maximum number of bytes before the first part and after the last one, where nothing is expected. */
const maxAroundBytes = 1024;

const lineEnd = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');
const closing = Buffer.from('--');
const nothing = Buffer.alloc(0);

/**
 * Reads a form part by part (RFC 7578). `service/src/uploads/read-form.ts` decides which parts an upload may have.
 * Keeps at most one chunk and the head of a part in memory. When the caller asks for the next part, the unread rest of
 * the current part is skipped. When the caller stops reading, the connection stays as it is. Decision 0014 compares the
 * cost with that of a library.
 * @throws MalformedForm, here and while the content is read
 */
export async function* readMultipart(request: IncomingMessage): AsyncGenerator<FormPart, void> {
  const boundary = boundaryOf(request.headers['content-type'] ?? '');
  if (boundary === undefined) throw new MalformedForm('the boundary is missing or odd');
  const form = openForm(request, boundary);
  let before = 0;
  for await (const { length } of form.upToDelimiter())
    if ((before += length) > maxAroundBytes) throw new MalformedForm('it does not begin with a part');
  while (await form.partFollows()) {
    const content = form.upToDelimiter();
    yield { ...head(await form.readHead()), content };
    for await (const _ of content);
  }
  await form.readEpilogue();
}

function head(bytes: Buffer): PartHead {
  const read = readPartHead(bytes);
  if (read === undefined) throw new MalformedForm('a part has headers that cannot be read');
  return read;
}

const boundaryShape = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

/** Reads the boundary (RFC 2046 §5.1.1), quoted or not. */
function boundaryOf(contentType: string): string | undefined {
  const found = [...contentType.matchAll(/;[ \t]*boundary=(?:"([^"]*)"|([^\s;"]+))[ \t]*(?=;|$)/gi)];
  const boundary = found[0]?.[1] ?? found[0]?.[2];
  return found.length === 1 && boundary !== undefined && boundaryShape.test(boundary) ? boundary : undefined;
}

/** Opens a form: holds its bytes and the position of the reader. */
function openForm(request: IncomingMessage, boundary: string) {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const chunks = readAhead(request);
  // Starts with a line end, so that the first delimiter looks like the others.
  let rest: Buffer = lineEnd;
  let atDelimiter = false;

  const more = async () => {
    const next = await chunks.next();
    if (next.done === true) throw new MalformedForm('it ended before its time');
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
  };
  const begins = async (with_: Buffer) => {
    while (rest.length < with_.length) await more();
    if (!rest.subarray(0, with_.length).equals(with_)) return false;
    rest = rest.subarray(with_.length);
    return true;
  };

  return {
    upToDelimiter: async function* (): AsyncGenerator<Buffer, void> {
      atDelimiter = false;
      for (;;) {
        const bytes = rest;
        const end = bytes.indexOf(delimiter);
        if (end !== -1) {
          rest = bytes.subarray(end + delimiter.length);
          atDelimiter = true;
          if (end > 0) yield bytes.subarray(0, end);
          return;
        }
        const begun = begunAtEnd(bytes, delimiter);
        rest = begun === 0 ? nothing : bytes.subarray(bytes.length - begun);
        // Yields the whole chunk where possible: a consumer can free its memory only when it holds all of that memory.
        if (bytes.length > begun) yield begun === 0 ? bytes : bytes.subarray(0, bytes.length - begun);
        await more();
      }
    },
    /** Reads what follows a delimiter. Returns false when it was the last delimiter. */
    partFollows: async () => {
      if (!atDelimiter) throw new MalformedForm('a part was left in its middle');
      if (await begins(closing)) return false;
      if (await begins(lineEnd)) return true;
      throw new MalformedForm('a boundary goes on in an odd way');
    },
    readHead: async () => {
      let end = rest.indexOf(headEnd);
      for (; end === -1 && rest.length <= maxHeadBytes; end = rest.indexOf(headEnd)) await more();
      if (end === -1 || end > maxHeadBytes) throw new MalformedForm('the headers of a part are too long');
      const bytes = rest.subarray(0, end);
      rest = rest.subarray(end + headEnd.length);
      return bytes;
    },
    readEpilogue: async () => {
      let { length } = rest;
      for (;;) {
        if (length > maxAroundBytes) throw new MalformedForm('something follows after its end');
        const next = await chunks.next();
        if (next.done === true) return;
        length += next.value.length;
      }
    },
  };
}

/** Returns how many bytes at the end may be the beginning of `wanted`. */
function begunAtEnd(bytes: Uint8Array, wanted: Uint8Array): number {
  for (let begin = Math.max(0, bytes.length - wanted.length + 1); begin < bytes.length; begin++) {
    let same = 0;
    while (begin + same < bytes.length && bytes[begin + same] === wanted[same]) same++;
    if (begin + same === bytes.length) return same;
  }
  return 0;
}
