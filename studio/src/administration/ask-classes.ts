import { ClassCatalog } from '@renderkit/engine-comfyui/classes.ts';
import { ComfyApi } from '@renderkit/engine-comfyui/comfy-api.ts';
import type { ObjectInfo } from '@renderkit/engine-comfyui/object-info.ts';
import { createBackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type AccessOptions, findAccess } from '../backends/driver-pool.ts';
import { ModelRefused } from './models.ts';

/**
 * Returns a ComfyUI backend's descriptions of classes of nodes. Asks for each class by its name: the whole list is half
 * a megabyte, and takes minutes with many packs.
 * @throws ModelRefused `unknown_backend` if there is no such backend, or if it does not answer
 */
export async function askClasses(
  database: Database,
  {
    backend,
    names,
    signal,
    ...options
  }: AccessOptions & {
    backend: string;
    names: ReadonlySet<string>;
    signal: AbortSignal;
  },
): Promise<ObjectInfo> {
  try {
    const found = await findAccess(database, backend, options);
    if (found === undefined) throw unknown(`There is no backend ${backend}: add it with backend add.`);
    if (found.engine !== 'comfyui')
      throw unknown(
        `${backend} is a backend of the engine ${found.engine}; a workflow needs one of comfyui.`,
      );
    await using http = createBackendHttp(found.access);
    return await new ClassCatalog(new ComfyApi(http), signal).find(names, signal);
  } catch (error) {
    if (signal.aborted) throw unknown(`${backend} does not answer what it has.`, error);
    if (!(error instanceof EngineFailure)) throw error;
    throw unknown(`${backend} cannot be asked what it has: ${error.message}`, error);
  }
}

function unknown(message: string, cause?: unknown): ModelRefused {
  return new ModelRefused([{ code: 'unknown_backend', message }], { cause });
}
