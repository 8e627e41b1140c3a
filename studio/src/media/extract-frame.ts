import { StudioError } from '../errors.ts';

export async function extractFrame(
  _video: string,
  _time: number | 'last',
  _signal: AbortSignal,
): Promise<{ bytes: Buffer; width: number; height: number }> {
  throw new StudioError('overloaded', 'Stills cannot be taken yet.');
}
