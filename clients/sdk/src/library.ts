import { ApiPromise } from './api-promise.ts';
import { RenderkitError } from './errors.ts';
import { blobOf, type FileInput } from './files.ts';
import type {
  Asset,
  CreateProjectRequest,
  CreateUploadRequest,
  DeletedAsset,
  DeletedProject,
  DeletedUpload,
  FavoriteAsset,
  ListAssetsQuery,
  ListProjectsQuery,
  Project,
  UpdateProjectRequest,
  Upload,
} from './objects.generated.ts';
import { PagePromise } from './page.ts';
import { type RequestOptions, sleep, type Transport } from './transport.ts';

/** Uploading a file of half a gigabyte takes some minutes. The size limits are in `contract/v1/limits.ts`. */
const uploadTimeoutMs = 15 * 60_000;
const uploadPollMs = 1_000;

/** The account's own files, for use in requests. */
export class Uploads {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Uploads a file, or asks the service to fetch one: `await rk.uploads.create(await fromPath('lake.jpg'))`, `await
   * rk.uploads.create({ url: 'https://example.com/lake.jpg' })`. A create uploads the bytes in its request by itself,
   * so it needs no call of this method.
   */
  create(
    file: FileInput | Promise<FileInput> | CreateUploadRequest,
    options: RequestOptions & { projectId?: string | undefined; fileName?: string | undefined } = {},
  ): ApiPromise<Upload> {
    const { projectId, fileName, ...rest } = options;
    const send = async () => {
      const value = await file;
      const body = isAddress(value) ? value : await this.#form(value, fileName, projectId);
      return this.#transport.answer<Upload>({
        method: 'POST',
        path: '/v1/uploads',
        body,
        options: { timeout: uploadTimeoutMs, ...rest },
      });
    };
    return new ApiPromise(send());
  }

  async #form(file: FileInput, fileName: string | undefined, projectId: string | undefined) {
    const { blob, name } = await blobOf(file);
    const form = new FormData();
    // The fields come before the file, because a server may read a form while it arrives.
    if (projectId !== undefined) form.append('project_id', projectId);
    form.append('file', blob, fileName ?? name);
    return form;
  }

  /** Returns an upload with the state of its checks: `(await rk.uploads.retrieve(id)).status`. */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Upload> {
    return new ApiPromise(
      this.#transport.answer({ method: 'GET', path: `/v1/uploads/${encodeURIComponent(id)}`, options }),
    );
  }

  /**
   * Waits until the checks of an upload are over and returns the upload. Not necessary before a create: a create may
   * use an upload at once.
   *
   * @throws RenderkitError `unprocessable` when the upload was rejected, `aborted` by the signal.
   */
  async wait(id: string, options: { signal?: AbortSignal | undefined } = {}): Promise<Upload> {
    while (true) {
      const upload = await this.retrieve(id, options);
      if (upload.status === 'ready') return upload;
      if (upload.status === 'rejected')
        throw new RenderkitError('unprocessable', upload.error ?? `The upload ${id} was rejected.`);
      await sleep(uploadPollMs, options.signal);
    }
  }

  /** Deletes the file and frees its storage. */
  delete(id: string, options?: RequestOptions): ApiPromise<DeletedUpload> {
    return new ApiPromise(
      this.#transport.answer({ method: 'DELETE', path: `/v1/uploads/${encodeURIComponent(id)}`, options }),
    );
  }
}

function isAddress(value: FileInput | CreateUploadRequest): value is CreateUploadRequest {
  return typeof (value as { url?: unknown }).url === 'string' && !(value instanceof Response);
}

/** The library: everything that was generated on the account. */
export class Assets {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists all items over all pages, newest first: `for await (const asset of rk.assets.list({ type: 'video' }))`. */
  list(
    query: Omit<ListAssetsQuery, 'favorites'> & { favorites?: boolean | undefined } = {},
    options?: RequestOptions,
  ): PagePromise<Asset> {
    return PagePromise.of((page) =>
      this.#transport.answer({
        method: 'GET',
        path: '/v1/assets',
        query: { ...query, page: page ?? query.page },
        options,
      }),
    );
  }

  /** Returns one picture: `await rk.assets.retrieveImage(output.id)`. */
  retrieveImage(id: string, options?: RequestOptions): ApiPromise<Asset> {
    const path = `/v1/assets/images/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'GET', path, options }));
  }

  /** Marks an item as a favorite, or removes the mark: `await rk.assets.setFavorite('image', id, true)`. */
  setFavorite(
    type: 'image' | 'video' | 'frame',
    id: string,
    favorite: boolean,
    options?: RequestOptions,
  ): ApiPromise<FavoriteAsset> {
    const path = `/v1/assets/${type}/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'PATCH', path, body: { favorite }, options }));
  }

  /** Deletes an item from the library. The record of its generation stays. */
  delete(type: 'image' | 'video' | 'frame', id: string, options?: RequestOptions): ApiPromise<DeletedAsset> {
    const path = `/v1/assets/${type}/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'DELETE', path, options }));
  }
}

/** Projects: folders for generations. */
export class Projects {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists all projects over all pages, newest first: `for await (const project of rk.projects.list())`. */
  list(query: ListProjectsQuery = {}, options?: RequestOptions): PagePromise<Project> {
    return PagePromise.of((page) =>
      this.#transport.answer({
        method: 'GET',
        path: '/v1/projects',
        query: { ...query, page: page ?? query.page },
        options,
      }),
    );
  }

  /** Creates a project: `await rk.projects.create({ title: 'Autumn posters' })`. */
  create(body: CreateProjectRequest = {}, options?: RequestOptions): ApiPromise<Project> {
    return new ApiPromise(this.#transport.answer({ method: 'POST', path: '/v1/projects', body, options }));
  }

  /** Returns one project: `await rk.projects.retrieve(id)`. */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Project> {
    return new ApiPromise(
      this.#transport.answer({ method: 'GET', path: `/v1/projects/${encodeURIComponent(id)}`, options }),
    );
  }

  /** Changes the title of a project: `await rk.projects.update(id, { title: 'Winter posters' })`. */
  update(id: string, body: UpdateProjectRequest, options?: RequestOptions): ApiPromise<Project> {
    const path = `/v1/projects/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'PATCH', path, body, options }));
  }

  /** Deletes a project, in the studio too. */
  delete(id: string, options?: RequestOptions): ApiPromise<DeletedProject> {
    const path = `/v1/projects/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'DELETE', path, options }));
  }
}
