import type { IncomingMessage } from 'node:http';
import { type JsonLimits, JsonScan, type ScannedJson } from './json-scan.ts';
import type { Pace } from './paced-body.ts';
import { readBody } from './read-body.ts';

/**
 * Reads a JSON body, and judges it as it comes. Undefined where there is none. `bytes` is how long it was.
 * @throws JsonRefused
 * @throws BodyTooLarge
 * @throws BodyInPieces
 * @throws BodyCutShort
 */
export async function readJson(
  request: IncomingMessage,
  { limitBytes, json, pace }: { limitBytes: number; json: JsonLimits; pace?: Pace },
): Promise<(ScannedJson & { bytes: number }) | undefined> {
  const announced = request.headers['content-length'];
  const scan = new JsonScan(json, announced === undefined ? undefined : Number(announced));
  let bytes = 0;
  await readBody(request, {
    limit: limitBytes,
    pace,
    take: (chunk) => {
      bytes += chunk.length;
      scan.add(chunk);
    },
  });
  return bytes === 0 ? undefined : { ...scan.end(), bytes };
}
