import { fileURLToPath } from 'node:url';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { boundResult } from '../present.ts';
import { median } from '../statistics.ts';
import type { DrawTask } from './draw.ts';

const goalMs = 250;
const prompts = [
  'a red sunset over mountains and a lake',
  'a foggy morning in the city, blue hour',
  'stormy sea at night with a lighthouse',
  'portrait of a woman in golden light',
  'a planet with rings among stars',
  'snow on a quiet forest, winter noon',
  'desert dunes in the evening, violet sky',
  'abstract circles, warm colours',
];

/** Measures the processor time of one 1024×1024 picture, for each model of the built-in engine. */
export async function picture(bench: Bench): Promise<Result[]> {
  await using child = await startChild(fileURLToPath(new URL('draw.ts', import.meta.url)));
  const models = await child.ask<string[]>({ model: '', prompts: [] } satisfies DrawTask);
  const results: Result[] = [];
  for (const model of models) {
    const chosen = bench.quick ? prompts.slice(0, 2) : prompts;
    // A worker runs for long: the first run, with the compiler's time, does not count.
    await child.ask({ model, prompts: chosen } satisfies DrawTask);
    const times = await child.ask<number[]>({ model, prompts: chosen } satisfies DrawTask);
    bench.say(`  ${model}: ${times.map(Math.round).join(', ')} ms`);
    results.push(
      boundResult({
        name: `picture, ${model}`,
        ours: `${Math.round(median(times))} CPU ms`,
        spread: `${Math.round(Math.min(...times))}–${Math.round(Math.max(...times))} ms`,
        goal: `${goalMs} CPU ms or less`,
        met: median(times) <= goalMs,
      }),
    );
  }
  return results;
}
