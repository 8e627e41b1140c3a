/** One event of a stream, as a client receives it. */
export type ReadEvent = { event: string; id: string | undefined; data: string };

export type StreamReader = AsyncDisposable & {
  status: number;
  headers: Headers;
  /** Returns the next event; `undefined` once the stream has ended. */
  next: () => Promise<ReadEvent | undefined>;
};

/** Opens a stream of events and reads it as its clients do. */
export async function openStream(url: string, headers: Record<string, string>): Promise<StreamReader> {
  const leaving = new AbortController();
  const answer = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  const events = answer.status === 200 && answer.body !== null ? readEvents(answer.body) : undefined;
  return {
    status: answer.status,
    headers: answer.headers,
    next: async () => {
      const result = await events?.next();
      return result?.done === false ? result.value : undefined;
    },
    [Symbol.asyncDispose]: async () => {
      leaving.abort();
      await Promise.resolve();
    },
  };
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ReadEvent, undefined> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const event = parse(text.slice(0, end));
        text = text.slice(end + 2);
        if (event !== undefined) yield event;
      }
    }
  } catch {
    // The reader disconnected, or the server died: only complete events count.
  }
  return undefined;
}

/** Returns `undefined` for a block with only a comment or a reconnection time. */
function parse(block: string): ReadEvent | undefined {
  const read = (field: string) =>
    block
      .split('\n')
      .flatMap((line) => (line.startsWith(`${field}: `) ? [line.slice(field.length + 2)] : []));
  const [event] = read('event');
  return event === undefined ? undefined : { event, id: read('id')[0], data: read('data').join('\n') };
}
