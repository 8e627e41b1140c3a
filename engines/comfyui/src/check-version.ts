import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { ComfyApi } from './comfy-api.ts';

/**
 * Whether a machine is as new as the route's `requires.comfyui` says: `0.3.57`, or `>=0.3.57`.
 * @throws EngineFailure where it cannot be asked
 */
export async function checkVersion(
  required: string | undefined,
  { backend, api }: { readonly backend: string; readonly api: ComfyApi },
  signal: AbortSignal,
): Promise<Problem[]> {
  if (required === undefined) return [];
  const parts = /^(?:>=)?\s*v?(\d+)\.(\d+)\.?(\d*)$/.exec(required.trim())?.slice(1);
  if (parts === undefined)
    return [
      {
        code: 'out_of_range',
        message: `requires.comfyui is ${JSON.stringify(required)}: write the oldest version that will do, such as 0.3.57.`,
      },
    ];
  const since = parts.map(Number);
  if (await api.isVersionFrom(since, signal)) return [];
  return [
    {
      // It lacks nodes, or inputs of theirs, that the workflow was made with.
      code: 'node_missing',
      message: `The ComfyUI of ${backend} is older than ${since.join('.')}, which the route requires: update it.`,
    },
  ];
}
