import type { Bench, Result } from '../benchmark.ts';
import { base64 } from './base64.ts';
import { cost } from './cost.ts';
import { held } from './held.ts';

/**
 * Measures what the API for OpenAI's programs costs compared with `/v1`: processor time of a picture, memory of base64
 * and of waiting.
 */
export async function facade(bench: Bench): Promise<Result[]> {
  return [...(await base64(bench)), ...(await held(bench)), ...(await cost(bench))];
}
