import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { ComfyApi } from './comfy-api.ts';

/**
 * Checks that a machine is at least as new as the route's `requires.comfyui`: `0.3.57`, or `>=0.3.57`.
 * `requires.vram_gb` is compared by `tooSmallFor` in `studio/src/administration/models.ts`.
 *
 * @throws EngineFailure if the machine cannot be asked
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
      // An older version lacks nodes or inputs that the workflow uses.
      code: 'node_missing',
      message: `The ComfyUI of ${backend} is older than ${since.join('.')}, which the route requires: update it.`,
    },
  ];
}
