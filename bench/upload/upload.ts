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

/** Compares a large video through the service with the same one sent directly to the studio, in megabytes a second. */
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
  const pids = { service: platform.service.pid, studio: platform.studio.pid };
  const throughService = async (): Promise<Sample> => {
    const before = residentMegabytes(platform.service.pid) ?? Number.NaN;
    const watch = setInterval(() => {
      growth = Math.max(growth, (residentMegabytes(platform.service.pid) ?? 0) - before);
    }, sampleEveryMs);
    const {
      result: id,
      seconds,
      used,
    } = await timed(pids, () => sendForm(`${platform.serviceUrl}/v1/uploads`, key, file));
    clearInterval(watch);
    await remove(id);
    return sampleOf(megabytes, { seconds, cpu: used.service, studioBeside: used.studio });
  };
  const straight = async (): Promise<Sample> => {
    const id = `bench-${++direct}`;
    const { seconds, used } = await timed(pids, () =>
      send(`${platform.studioUrl}/api/uploads/${id}?file_name=video.mp4`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
        file,
        status: 200,
      }),
    );
    await remove(id);
    return sampleOf(megabytes, { seconds, cpu: used.studio });
  };
  // The first upload also fetches a token and compiles both sides.
  await throughService();
  await straight();
  growth = 0;
  const comparison = await compare({
    rounds: bench.rounds,
    ours: throughService,
    baseline: straight,
    onRound: (round, ours, baseline) =>
      bench.say(`  round ${round}: ${costText(ours)} against ${costText(baseline)}`),
  });
  await rm(file);
  return [
    {
      ...rateResult('upload', comparison, goals.ratio),
      cpuRatio: '–',
      ours: costText({ ...comparison, value: comparison.ours }),
      baseline: costText({ value: comparison.baseline, cpuSeconds: comparison.baselineCpuSeconds }),
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

/** Returns the result of the work, its seconds, and the processor time of each process. */
async function timed<Name extends string, Value>(
  pids: Record<Name, number>,
  work: () => Promise<Value>,
): Promise<{ result: Value; seconds: number; used: Record<Name, number | undefined> }> {
  const names = Object.keys(pids) as Name[];
  const before = names.map((name) => cpuSeconds(pids[name]));
  const began = performance.now();
  const result = await work();
  const seconds = (performance.now() - began) / 1_000;
  const entries = names.map((name, i) => {
    const [earlier, now] = [before[i], cpuSeconds(pids[name])];
    return [name, earlier === undefined || now === undefined ? undefined : now - earlier] as const;
  });
  return { result, seconds, used: Object.fromEntries(entries) as Record<Name, number | undefined> };
}

/** Returns a sample in megabytes a second, and seconds of processor time per gigabyte. */
function sampleOf(
  megabytes: number,
  {
    seconds,
    cpu,
    studioBeside,
  }: { seconds: number; cpu: number | undefined; studioBeside?: number | undefined },
): Sample {
  const perGigabyte = (used: number) => (used * 1_000) / megabytes;
  return {
    value: megabytes / seconds,
    cpuSeconds: cpu && perGigabyte(cpu),
    ...(studioBeside !== undefined && { besideCpuSeconds: { studio: perGigabyte(studioBeside) } }),
  };
}

/**
 * Shows the rate with processor time, which is more reliable than the speed while other work runs: of the service
 * together with the studio, or of the studio alone. The two do different work, so no ratio of their times is shown.
 */
function costText({ value, cpuSeconds: cpu, besideCpuSeconds = {} }: Sample): string {
  const beside = Object.entries(besideCpuSeconds).map(
    ([name, seconds]) => ` (${name} ${seconds.toFixed(2)})`,
  );
  return `${megabytesText(value)}${cpu === undefined ? '' : `, ${cpu.toFixed(2)} CPU s per GB${beside.join('')}`}`;
}

function megabytesText(perSecond: number): string {
  return `${Math.round(perSecond)} MB/s`;
}
