// Draws the pictures that show people what each of the product's own models can do: `node e2e/draw-models.ts [model…]`.
// They are stored in studio/models/pictures, as the models draw today.

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPlatform } from '@renderkit/stack/testing/platform.ts';
import sharp from 'sharp';
import { createClient, type Generation, untilEnded } from './harness/client.ts';

const folder = fileURLToPath(new URL('../studio/models/pictures/', import.meta.url));
/** The longer side, in pixels. */
const side = 320;
const quality = 80;

/** Models that accept no seed. */
const unseeded = new Set(['papercut-studio', 'collage-studio', 'onward-1']);

/** The requests for each model. `{NAME}` is the id of an earlier output. */
const requests: { model: string; path: string; body: Record<string, string | number> }[] = [
  {
    model: 'atelier-1',
    path: 'images/generations',
    body: { prompt: 'A lighthouse above a calm sea at dusk' },
  },
  { model: 'sketch-1', path: 'images/generations', body: { prompt: 'Hills and a tree at noon' } },
  { model: 'linework-1', path: 'images/generations', body: { prompt: 'Mountains above a village' } },
  { model: 'prism-1', path: 'images/generations', body: { prompt: 'A sunset of glass' } },
  { model: 'nocturne-1', path: 'images/generations', body: { prompt: 'A city at night by the water' } },
  { model: 'papercut-studio', path: 'images/generations', body: { prompt: 'A forest and a deer' } },
  { model: 'character/figures', path: 'images/generations', body: { prompt: 'A queen with a golden crown' } },
  {
    model: 'retouch-1',
    path: 'images/edits',
    body: { prompt: 'the same in winter', image: '{atelier-1}', strength: 0.7 },
  },
  { model: 'engrave-1', path: 'images/edits', body: { image: '{character/figures}', aspect_ratio: '1:1' } },
  { model: 'collage-studio', path: 'images/edits', body: { prompt: 'paper', image: '{atelier-1}' } },
  {
    model: 'drift-1',
    path: 'videos/generations',
    body: { prompt: 'Clouds drift over a lake', duration: 3, aspect_ratio: '1:1' },
  },
  { model: 'prism-motion-1', path: 'videos/generations', body: { duration: 4, aspect_ratio: '1:1' } },
  {
    model: 'animate-1',
    path: 'videos/generations',
    body: { start_image: '{papercut-studio}', duration: 3, aspect_ratio: '1:1' },
  },
  {
    model: 'score-1',
    path: 'videos/generations',
    body: { prompt: 'A harbour at night', duration: 5, aspect_ratio: '1:1' },
  },
  {
    model: 'restyle-1',
    path: 'videos/generations',
    body: { source_video: '{drift-1}', duration: 3, aspect_ratio: '1:1' },
  },
  { model: 'onward-1', path: 'videos/extend', body: { video_id: '{drift-1}', duration: 3 } },
];

const only = process.argv.slice(2);
await using platform = await startPlatform({ ownPostgres: true });
const account = await platform.createAccount({ tier: 'pro', credits: 10_000, ageVerified: true });
const client = createClient(platform.serviceUrls[0] ?? '', await platform.createKey(account));
const outputs = new Map<string, string>();
for (const { model, path: to, body } of requests) {
  const named = JSON.stringify(body).replaceAll(/\{([^{}"]+)\}/g, (_, one: string) => outputs.get(one) ?? '');
  const asked = {
    ...(to !== 'videos/extend' && { model }),
    ...(!unseeded.has(model) && { options: { seed: 7 } }),
    ...(JSON.parse(named) as object),
  };
  const accepted = await client.call<Generation>('POST', `/v1/${to}`, { body: asked });
  if (accepted.status !== 202) throw new Error(`${model} refused: ${accepted.text}`);
  const [made] = await untilEnded(client, [accepted.body.id]);
  const output = made?.outputs[0];
  if (output?.thumb_url == null)
    throw new Error(`${model} made nothing: ${accepted.text} ${made?.error?.message}`);
  outputs.set(model, output.id);
  if (only.length > 0 && !only.includes(model)) continue;
  const picture = sharp(Buffer.from(await (await fetch(output.thumb_url)).arrayBuffer()));
  const small = await picture.resize(side, side, { fit: 'inside' }).webp({ quality, effort: 6 }).toBuffer();
  await writeFile(path.join(folder, `${path.posix.basename(model)}.webp`), small);
}
