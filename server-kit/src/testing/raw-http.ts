import { connect } from 'node:net';

/** The answer on one connection: all its bytes, and whether the server ended the connection. */
export type Exchange = { text: string; closed: boolean };

/** Sends bytes unchanged, and reads until the connection ends or `ms` have passed. */
export async function exchange(url: string, bytes: string | Buffer, ms = 5_000): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let closed = false;
  socket
    .on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    .on('end', () => (closed = true))
    .on('error', () => (closed = true));
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  const timer = setTimeout(() => socket.destroy(), ms);
  await new Promise((resolve) => socket.on('close', resolve));
  clearTimeout(timer);
  return { text, closed };
}

export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

/** Returns the first answer of an exchange; `undefined` when there is none. Header names are in lower case. */
export function firstAnswer({ text }: Exchange): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1];
  if (end === -1 || status === undefined) return undefined;
  const headers = Object.fromEntries(
    lines.map((one) => [
      one.slice(0, one.indexOf(':')).toLowerCase(),
      one.slice(one.indexOf(':') + 1).trim(),
    ]),
  );
  const length = headers['content-length'];
  return {
    status: Number(status),
    headers,
    body: text.slice(end + 4, length === undefined ? undefined : end + 4 + Number(length)),
  };
}
