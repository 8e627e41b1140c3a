import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import type {
  BackendAccess,
  BoundValue,
  Driver,
  EngineResult,
  FollowedJob,
  Handle,
  Prepared,
  RouteFiles,
} from '@renderkit/engine-kit/driver.ts';
import type { EnginePreview, EngineProgress } from '@renderkit/engine-kit/report.ts';
import type { JsonObject, Route } from '@renderkit/engine-kit/route.ts';
import { createComfyuiDriver } from '../driver.ts';

/** Creates a driver with frequent checks, for a server that a test has started. */
export function openDriver(url: string, access: Partial<BackendAccess> = {}): Driver {
  return createComfyuiDriver({
    backend: { name: 'gpu1', url, headers: {}, secret: undefined, egressAllow: [], ...access },
    log: { warn: () => {}, debug: () => {} },
    pollMs: { first: 20, quiet: 200 },
  });
}

/** Makes two images of one colour, without model weights. */
export const plainGraph = {
  '1': { class_type: 'EmptyImage', inputs: { width: 64, height: 48, batch_size: 1, color: 3_368_601 } },
  '9': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'ComfyUI' } },
};

/** Makes the same from an uploaded image. */
export const loadingGraph = {
  '1': { class_type: 'LoadImage', inputs: { image: 'example.png' } },
  '9': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'ComfyUI' } },
};

/** Returns a route over a graph whose result is node 9. */
export function routeOver(
  graph: Readonly<Record<string, { readonly class_type: string; readonly inputs: JsonObject }>>,
  more: Partial<Route> = {},
): RouteFiles {
  const nodes = Object.fromEntries(
    Object.entries(graph).map(([id, node]) => [`n${id}`, { id, class: node.class_type }]),
  );
  return {
    route: {
      name: 'own',
      engine: 'comfyui',
      on: ['gpu1'],
      workflow: './x.workflow.json',
      nodes,
      set: {},
      outputs: { kind: 'image', max_per_job: 4, from: ['n9'] },
      ...more,
    },
    files: new Map([['./x.workflow.json', JSON.stringify(graph)]]),
  };
}

export interface Submission {
  readonly id: string;
  readonly files: RouteFiles;
  readonly outputs: number;
  readonly prepared: Prepared;
}

/** Prepares a job under a new id. */
export async function prepareJob(
  driver: Driver,
  files: RouteFiles,
  {
    values = [],
    outputs = 1,
    id = randomUUID(),
  }: { values?: BoundValue[]; outputs?: number; id?: string } = {},
): Promise<Submission> {
  const prepared = await driver.prepare({ ...files, id, values, outputs }, signal());
  return { id, files, outputs, prepared };
}

/** The events and results of a followed job. Disposing it removes the folder with the files. */
export interface Followed extends AsyncDisposable {
  readonly progress: EngineProgress[];
  readonly previews: EnginePreview[];
  readonly paths: string[];
}

/** Follows a job to its end. */
export async function followToEnd(driver: Driver, handle: Handle, job: Submission): Promise<Followed> {
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-comfyui-'));
  const followed: FollowedJob = { ...job.files, id: job.id, outputs: job.outputs, folder };
  const progress: EngineProgress[] = [];
  const previews: EnginePreview[] = [];
  let result: EngineResult | undefined;
  try {
    for await (const news of driver.follow(handle, followed, signal())) {
      if (news.type === 'progress') progress.push(news);
      else if (news.type === 'preview') previews.push(news);
      else result = news;
    }
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  return {
    progress,
    previews,
    paths: (result?.files ?? []).map((file) => file.path),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Returns a signal that ends a hanging test. */
export function signal(): AbortSignal {
  return AbortSignal.timeout(60_000);
}
