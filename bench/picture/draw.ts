// Draws pictures in a separate process: the processor time of all its threads is that of the pictures.

import { createProceduralEngine } from '@renderkit/engine-procedural/engine.ts';
import { serveParent } from '../child.ts';

export type DrawTask = { model: string; prompts: string[] };

const engine = createProceduralEngine();
const side = 1024;

/**
 * With an empty list of prompts: returns the available models. Otherwise returns milliseconds of processor time, one
 * value per prompt.
 */
await serveParent(async () => async ({ model, prompts }: DrawTask) => {
  if (prompts.length === 0) return engine.models;
  const times: number[] = [];
  for (const [seed, prompt] of prompts.entries()) {
    const before = process.cpuUsage();
    const request = {
      kind: 'image' as const,
      engineModel: model,
      prompt,
      width: side,
      height: side,
      seed,
      parameters: {},
      references: [],
      outputs: 1,
    };
    for await (const { width } of engine.render(request, new AbortController().signal))
      if (width !== side) throw new Error(`${model} drew another size`);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times;
});
