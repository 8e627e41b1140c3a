import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The answer for a name: its addresses of both kinds and its CNAME, no answer at all, or a failure. */
export type DnsAnswer =
  | { a?: readonly string[]; aaaa?: readonly string[]; cname?: string }
  | 'silence'
  | 'failure';

export interface DnsServer extends AsyncDisposable {
  /** The address as `address:port`, for resolvers. */
  address: string;
  /** The number of questions for A records so far. */
  questions: number;
}

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_AAAA = 28;

/** Starts a DNS server on loopback that answers with TTL 0. Calls `answer` for each question. */
export async function startDnsServer(answer: (name: string) => DnsAnswer): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const running: DnsServer = {
    address: '',
    questions: 0,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    if (type === TYPE_A) running.questions += 1;
    const found = answer(name);
    if (found === 'silence') return;
    socket.send(writeAnswer(query.subarray(0, end), type, found), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  running.address = `127.0.0.1:${socket.address().port}`;
  return running;
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function writeAnswer(query: Buffer, type: number, found: Exclude<DnsAnswer, 'silence'>): Buffer {
  const records = found === 'failure' ? [] : recordsOf(type, found);
  const head = Buffer.from(query);
  head.writeUInt16BE(found === 'failure' ? 0x8182 : 0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

function recordsOf(type: number, { a = [], aaaa = [], cname }: Exclude<DnsAnswer, string>): Buffer[] {
  const owner = cname === undefined ? Buffer.from([0xc0, 12]) : nameOf(cname);
  const alias = cname === undefined ? [] : [record(Buffer.from([0xc0, 12]), TYPE_CNAME, nameOf(cname))];
  if (type === TYPE_A) return [...alias, ...a.map((address) => record(owner, TYPE_A, bytesOfV4(address)))];
  if (type === TYPE_AAAA)
    return [...alias, ...aaaa.map((address) => record(owner, TYPE_AAAA, bytesOfV6(address)))];
  return alias;
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function nameOf(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function bytesOfV4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

/** Parses an IPv6 address. Accepts only the long form with eight groups. */
function bytesOfV6(address: string): Buffer {
  return Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
