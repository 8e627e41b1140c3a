/** @internal One server-sent event. `data` is empty where the server sends only an id. */
export type ServerEvent = { event: string; data: string; id: string | undefined };

/** @internal No byte arrived in time, so the stream counts as dead. */
export class SilentStreamError extends Error {}

/**
 * @internal Yields the events of a body of `text/event-stream` (WHATWG HTML, section 9.2) until the body ends.
 * `follow.ts` and `events.ts` decide whether the client opens a stream or polls.
 *
 * @param silenceMs returns how many milliseconds the next byte may take.
 * @param onBytes called for each chunk that arrives, keep-alive comments included.
 * @throws SilentStreamError when the next byte takes longer than `silenceMs`.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  silenceMs: () => number,
  onBytes?: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let event = { name: 'message', data: [] as string[], id: undefined as string | undefined, isNamed: false };
  try {
    while (true) {
      const { done, value } = await readWithin(reader, silenceMs());
      if (done) return;
      onBytes?.();
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line !== '') {
          takeLine(event, line);
          continue;
        }
        if (event.data.length > 0 || event.isNamed)
          yield { event: event.name, data: event.data.join('\n'), id: event.id };
        event = { name: 'message', data: [], id: event.id, isNamed: false };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function takeLine(
  event: { name: string; data: string[]; id: string | undefined; isNamed: boolean },
  line: string,
): void {
  const colon = line.indexOf(':');
  if (colon === 0) return;
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'event') event.name = value;
  else if (field === 'data') event.data.push(value);
  else if (field === 'id') {
    event.id = value;
    event.isNamed = true;
  }
}

async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  ms: number,
): ReturnType<typeof reader.read> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new SilentStreamError(`nothing came for ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}
