import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPart, type Part } from '@renderkit/server-kit/testing/part.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Platform } from '@renderkit/stack/testing/platform.ts';

/** A ComfyUI for the platform, with a model on it. */
export type ChaosComfyui = AsyncDisposable & {
  part: Part;
  /** Tells the studio that the machine works again, so that the backend does not rest because of the test's kills. */
  resume: () => Promise<void>;
  /** Returns the jobs that it accepted, in order. */
  jobs: () => Promise<TakenJob[]>;
};

/** A job that the ComfyUI accepted. */
export type TakenJob = {
  /** Identifies the process that accepted the job. */
  life: string;
  id: string;
  /** Whether its result already existed. */
  again: boolean;
};

export const comfyBackend = 'gpu1';
export const comfyModel = 'chaos-comfy';
/** The price of an image at a provider with such a machine, in dollars. */
export const comfyCost = 0.001;

const program = fileURLToPath(
  new URL('../../engines/comfyui/src/testing/counterpart-process.ts', import.meta.url),
);

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color: 3_368_601 } },
  '9': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'ComfyUI' } },
};
const manifest = `manifest: 1
id: ${comfyModel}
name: Chaos
suites: [image]
batch_size: { Conjure: 1 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]
price: { base_millicredits: 2000 }
routes:
  - name: own
    engine: comfyui
    on: [${comfyBackend}]
    workflow: ./chaos.workflow.json
    nodes: { empty: { id: '1', class: EmptyImage }, save: { id: '9', class: SaveImage } }
    set: { empty.batch_size: { from: outputs }, save.filename_prefix: { text: '{prompt}' } }
    outputs: { from: [save], kind: image, max_per_job: 1 }
    cost: { currency: USD, per_output: ${comfyCost} }
    timeouts: { run: 60 }
`;

/** Starts the ComfyUI, adds it as a backend, and waits until its model is offered. `key`: of any account. */
export async function startChaosComfyui(platform: Platform, key: string): Promise<ChaosComfyui> {
  await using owners = new AsyncDisposableStack();
  const folder = path.join(platform.directory, 'comfyui');
  await mkdir(folder);
  await writeFile(path.join(folder, 'chaos.model.yaml'), manifest);
  await writeFile(path.join(folder, 'chaos.workflow.json'), JSON.stringify(workflow));
  const part = owners.use(
    createPart({
      name: 'comfyui',
      entry: program,
      arguments: [folder],
      environment: {},
      logDirectory: path.join(platform.directory, 'logs'),
    }),
  );
  await part.start();
  const add = ['backend', 'add', '--name', comfyBackend, '--engine', 'comfyui', '--url', part.url];
  await platform.operator(...add, '--slots', '2');
  await platform.operator('model', 'add', '--file', path.join(folder, 'chaos.model.yaml'), '--publish');
  await untilOffered(platform, key);
  const owned = owners.move();
  return {
    part,
    resume: async () => {
      await platform.operator('backend', 'resume', '--name', comfyBackend);
    },
    jobs: async () => {
      const lines = await readFile(path.join(folder, 'jobs.log'), 'utf8').catch(() => '');
      return lines
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as TakenJob);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function untilOffered({ serviceUrls }: Platform, key: string): Promise<void> {
  await until(comfyModel, async () => {
    const answer = await fetch(`${serviceUrls[0]}/v1/estimate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'image', model: comfyModel, prompt: 'a lake' }),
    });
    await answer.body?.cancel();
    return answer.status === 200;
  });
}
