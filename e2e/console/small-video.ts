import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Platform } from '@renderkit/stack/testing/platform.ts';
import type { ConsoleWorld } from './world.ts';

/** A model that draws like `drift-1` with a hundredth of the work, for tests that only need some video. */
const manifest = `
manifest: 1
id: small-drift
name: Small drift
suites: [video]
batch_size: { Motion: 1 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 256, height: 256 }]
  video_sizes:
    '16:9': { width: 160, height: 90 }
  durations:
    - { value: '2', label: '2 s' }
    - { value: '1', label: '1 s' }
price: { base_millicredits: 1000 }
routes:
  - name: drawn
    engine: procedural
    on: [procedural]
    model: atelier
    outputs: { kind: video, max_per_job: 1 }
`;

const added = new WeakMap<ConsoleWorld, Promise<string>>();

/** Adds a model of small, short videos, once in each world. Returns its id. */
export function addSmallVideoModel(world: ConsoleWorld): Promise<string> {
  const model = added.get(world) ?? add(world);
  added.set(world, model);
  return model;
}

async function add({ platform }: ConsoleWorld): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-small-video-'));
  try {
    const file = path.join(directory, 'small-drift.model.yaml');
    await writeFile(file, manifest);
    await platform.operator('model', 'add', '--file', file, '--publish', '--no-sample');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  await untilOffered(platform, 'small-drift');
  return 'small-drift';
}

/** Waits until the service offers the model, a moment after the studio does. */
async function untilOffered(platform: Platform, model: string): Promise<void> {
  const key = await platform.createKey(await platform.createAccount());
  const names = async () => {
    const answer = await fetch(`${platform.serviceUrls[0]}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  };
  await until(model, names, { isSo: (offered) => offered.includes(model) });
}
