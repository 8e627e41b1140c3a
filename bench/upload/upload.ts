import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Bench, Result } from '../benchmark.ts';
import { startPlatform } from '../platform.ts';
import { boundResult, rateResult } from '../present.ts';
import { cpuSeconds, residentMegabytes } from '../process-usage.ts';
import { compare, type Sample } from '../rounds.ts';
import { send, writeVideo } from './send-file.ts';

const fileMegabytes = 400;
const goals = { ratio: 0.85, growthMegabytes: 30 };
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

/** With the processor time of the service alone, which says more than the speed where other work goes on. */
function costText({ value, cpuSeconds: cpu }: Sample): string {
  return `${megabytesText(value)}${cpu === undefined ? '' : `, ${cpu.toFixed(2)} CPU s per GB`}`;
}

function megabytesText(perSecond: number): string {
  return `${Math.round(perSecond)} MB/s`;
}
