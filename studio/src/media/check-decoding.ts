import type { Inspected } from './inspect-file.ts';

export async function checkDecoding(
  _path: string,
  _inspected: Inspected,
  _signal: AbortSignal,
): Promise<void> {}
