import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, rm, stat } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { ffmpeg } from '@renderkit/media-kit/ffmpeg.ts';
import type { Bench, Result } from '../benchmark.ts';
import { startPlatform } from '../platform.ts';
import { boundResult, rateResult } from '../present.ts';
import { cpuSeconds, residentMegabytes } from '../process-usage.ts';
import { compare, type Sample } from '../rounds.ts';

const fileMegabytes = 400;
const goals = { ratio: 0.8, growthMegabytes: 30 };
const sampleEveryMs = 50;

/** A large video through the service against the same one straight to the studio, in megabytes a second. */
export async function upload(bench: Bench): Promise<Result[]> {
  await using platform = await startPlatform(bench, { worker: false });
  const account = await platform.createAccount({ keys: 1 });
  const token = await platform.studioToken(account);
  const key = account.keys[0] as string;
  const file = path.join(bench.cluster.directory, 'upload.mp4');
  const megabytes = bench.quick ? 40 : fileMegabytes;
  await writeVideo(file, megabytes * 1e6);
  const remove = (id: string) =>
    fetch(`${platform.studioUrl}/api/uploads/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
  let direct = 0;
  let growth = 0;
  const throughService = async (): Promise<Sample> => {
    const before = residentMegabytes(platform.service.pid) ?? Number.NaN;
    const watch = setInterval(() => {
      growth = Math.max(growth, (residentMegabytes(platform.service.pid) ?? 0) - before);
    }, sampleEveryMs);
    const cpuBefore = cpuSeconds(platform.service.pid);
    const began = performance.now();
    const id = await sendForm(`${platform.serviceUrl}/v1/uploads`, key, file);
    const seconds = (performance.now() - began) / 1000;
    clearInterval(watch);
    const cpuAfter = cpuSeconds(platform.service.pid);
    await remove(id);
    const cpu = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
    return { value: megabytes / seconds, cpuSeconds: cpu && (cpu * 1_000) / megabytes };
  };
  const straight = async (): Promise<Sample> => {
    const id = `bench-${++direct}`;
    const began = performance.now();
    await send(`${platform.studioUrl}/api/uploads/${id}?file_name=video.mp4`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      file,
      status: 200,
    });
    const seconds = (performance.now() - began) / 1000;
    await remove(id);
    return { value: megabytes / seconds };
  };
  // The first also fetches a token and compiles both sides.
  await throughService();
  await straight();
  growth = 0;
  const comparison = await compare({
    rounds: bench.rounds,
    ours: throughService,
    baseline: straight,
    onRound: (round, ours, baseline) =>
      bench.say(`  round ${round}: ${costText(ours)} against ${megabytesText(baseline.value)}`),
  });
  await rm(file);
  return [
    {
      ...rateResult('upload', comparison, goals.ratio),
      ours: costText({ value: comparison.ours, cpuSeconds: comparison.cpuSeconds }),
      baseline: megabytesText(comparison.baseline),
    },
    boundResult({
      name: 'upload, memory',
      ours: `${growth.toFixed(0)} MB more at most while ${megabytes} MB pass`,
      goal: `${goals.growthMegabytes} MB or less`,
      met: growth <= goals.growthMegabytes,
    }),
  ];
}

/** A short video that plays, made as large as asked by a box that players skip. */
async function writeVideo(file: string, bytes: number): Promise<void> {
  await ffmpeg(
    '-f lavfi -i testsrc=size=320x180:rate=10:duration=2 -pix_fmt yuv420p -c:v libx264 -f mp4 out.mp4'.split(
      ' ',
    ),
    {
      inputs: {},
      outputs: { 'out.mp4': file },
      signal: AbortSignal.timeout(60_000),
      timeoutMs: 60_000,
      maxOutputBytes: 10_000_000,
    },
  );
  const { size } = await stat(file);
  const handle = await open(file, 'a');
  try {
    const box = Buffer.alloc(8);
    box.writeUInt32BE(bytes - size, 0);
    box.write('free', 4, 'latin1');
    await handle.write(box);
    const piece = randomBytes(1_000_000);
    for (let left = bytes - size - 8; left > 0; left -= piece.length)
      await handle.write(piece.subarray(0, Math.min(left, piece.length)));
  } finally {
    await handle.close();
  }
}

async function sendForm(url: string, key: string, file: string): Promise<string> {
  const boundary = 'renderkit-bench-boundary';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="video.mp4"\r\ncontent-type: video/mp4\r\n\r\n`;
  const { id } = await send(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
    file,
    head,
    tail: `\r\n--${boundary}--\r\n`,
    status: 201,
  });
  return String(id);
}

async function send(
  url: string,
  sent: {
    method: string;
    headers: Record<string, string>;
    file: string;
    head?: string;
    tail?: string;
    status: number;
  },
): Promise<Record<string, unknown>> {
  const { head = '', tail = '' } = sent;
  const { size } = await stat(sent.file);
  const call = request(url, {
    method: sent.method,
    headers: { ...sent.headers, 'content-length': size + Buffer.byteLength(head) + Buffer.byteLength(tail) },
  });
  const answered = once(call, 'response').then(async ([response]) => {
    const text = await readText(response as IncomingMessage);
    const { statusCode } = response as IncomingMessage;
    if (statusCode !== sent.status) throw new Error(`an upload was answered ${statusCode}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  });
  call.write(head);
  const [answer] = await Promise.all([answered, writeFile(sent.file, call).then(() => call.end(tail))]);
  return answer;
}

const pieceBytes = 256 * 1024;
const pieces = 4;

/**
 * From memory that is used again: by streams the client took as much processor time as the studio, on cores that they
 * share, and clients are on other machines.
 */
async function writeFile(file: string, call: ClientRequest): Promise<void> {
  await using handle = await open(file);
  const free = Array.from({ length: pieces }, () => Buffer.allocUnsafeSlow(pieceBytes));
  let wake: () => void = () => undefined;
  for (;;) {
    const piece = free.pop();
    if (piece === undefined) {
      await new Promise<void>((resolve) => (wake = resolve));
      continue;
    }
    const { bytesRead } = await handle.read(piece, 0, pieceBytes);
    if (bytesRead === 0) return;
    call.write(piece.subarray(0, bytesRead), () => {
      free.push(piece);
      wake();
    });
  }
}

/** With the processor time of the service alone, which says more than the speed where other work goes on. */
function costText({ value, cpuSeconds: cpu }: Sample): string {
  return `${megabytesText(value)}${cpu === undefined ? '' : `, ${cpu.toFixed(2)} CPU s per GB`}`;
}

function megabytesText(perSecond: number): string {
  return `${Math.round(perSecond)} MB/s`;
}
