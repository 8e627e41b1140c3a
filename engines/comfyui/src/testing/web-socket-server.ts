import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** A WebSocket of a counterpart, without fragmented frames and extensions (RFC 6455). */
export interface ServerSocket {
  sendText(text: string): void;
  sendBytes(bytes: Buffer): void;
  /** Cuts the connection without a closing frame. */
  cut(): void;
}

const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Answers a WebSocket handshake. Reports received texts and the end of the connection. */
export function acceptWebSocket(
  request: IncomingMessage,
  stream: Duplex,
  on: { text: (text: string) => void; close: () => void },
): ServerSocket {
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  const send = (opcode: number, payload: Buffer): void => {
    if (stream.writable) stream.write(Buffer.concat([frameHead(opcode, payload.length), payload]));
  };
  let read: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    read = Buffer.concat([read, chunk]);
    for (let frame = takeFrame(read); frame !== undefined; frame = takeFrame(read)) {
      read = frame.rest;
      if (frame.opcode === opcodes.text) on.text(frame.payload.toString('utf8'));
      else if (frame.opcode === opcodes.ping) send(opcodes.pong, frame.payload);
      else if (frame.opcode === opcodes.close) {
        send(opcodes.close, frame.payload);
        stream.end();
      }
    }
  });
  stream.on('error', () => {});
  stream.on('close', on.close);
  return {
    sendText: (text) => send(opcodes.text, Buffer.from(text)),
    sendBytes: (bytes) => send(opcodes.binary, bytes),
    cut: () => stream.destroy(),
  };
}

function frameHead(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | opcode, length]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** Returns the first complete frame of a client. Client frames are masked. */
function takeFrame(bytes: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | undefined {
  if (bytes.length < 6) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const maskAt = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < maskAt + 4) return undefined;
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const end = maskAt + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(maskAt, maskAt + 4);
  const payload = Buffer.from(bytes.subarray(maskAt + 4, end));
  for (const [at, byte] of payload.entries()) payload[at] = byte ^ (mask[at % 4] ?? 0);
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload, rest: bytes.subarray(end) };
}
