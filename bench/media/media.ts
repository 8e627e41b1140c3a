import type { Bench, Result } from '../benchmark.ts';
import { startPlatform } from '../platform.ts';
import { boundResult } from '../present.ts';
import { treeCpuSeconds } from '../process-usage.ts';

const prompts = [
  'a red sunset over mountains and a lake',
  'a foggy morning in the city, blue hour',
  'stormy sea at night with a lighthouse',
  'snow on a quiet forest, winter noon',
];

/**
 * Measures what the default models make in a minute of one core, through the whole product: the time of all the
 * worker's processes.
 */
export async function media(bench: Bench): Promise<Result[]> {
  await using platform = await startPlatform(bench, { worker: true });
  const { keys } = await platform.createAccount({ keys: 1 });
  const worker = platform.worker?.pid ?? 0;
  const make = (path: string, prompt: string) =>
    makeOne(`${platform.serviceUrl}/v1`, keys[0] as string, path, prompt);
  const perMinute = async (path: string, chosen: readonly string[]) => {
    await make(path, 'a warm start');
    const before = treeCpuSeconds(worker) ?? Number.NaN;
    let made = 0;
    for (const prompt of chosen) made += await make(path, prompt);
    return (made / ((treeCpuSeconds(worker) ?? Number.NaN) - before)) * 60;
  };
  const pictures = await perMinute(
    'images/generations',
    bench.quick ? prompts.slice(0, 2) : [...prompts, ...prompts],
  );
  const seconds = await perMinute('videos/generations', bench.quick ? prompts.slice(0, 1) : prompts);
  return [
    boundResult({
      name: 'image',
      ours: `${Math.round(pictures)} pictures a minute per core (1024×1024)`,
      goal: 'none: a figure to know',
      met: true,
    }),
    boundResult({
      name: 'video',
      ours: `${Math.round(seconds)} seconds of video a minute per core (640×360)`,
      goal: 'none: a figure to know',
      met: true,
    }),
  ];
}

/** Returns how many pictures, or how many seconds of video, were made. */
async function makeOne(base: string, key: string, path: string, prompt: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const created = await fetch(`${base}/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ prompt }),
  });
  let generation = (await created.json()) as {
    id: string;
    status: string;
    outputs: { duration: number | null }[];
  };
  if (created.status !== 202) throw new Error(`a create was answered ${created.status}`);
  while (generation.status === 'queued' || generation.status === 'running')
    generation = (await (
      await fetch(`${base}/generations/${generation.id}?wait=60`, { headers })
    ).json()) as typeof generation;
  if (generation.status !== 'succeeded') throw new Error(`${generation.id} ended as ${generation.status}`);
  return generation.outputs.reduce((sum, { duration }) => sum + (duration ?? 1), 0);
}
