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

/** A file of half a gigabyte takes its time. */
const uploadTimeoutMs = 15 * 60_000;
const uploadPollMs = 1_000;

/** Files of one's own, to be named in requests. */
export class Uploads {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a file, or has one fetched: `await rk.uploads.create(await fromPath('lake.jpg'))`,
   * `await rk.uploads.create({ url: 'https://example.com/lake.jpg' })`. What is named in a create needs no call of this.
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
    // Fields before the file: a server may read a form as it comes.
    if (projectId !== undefined) form.append('project_id', projectId);
    form.append('file', blob, fileName ?? name);
    return form;
  }

  /** How far the checks are: `(await rk.uploads.retrieve(id)).status`. */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Upload> {
    return new ApiPromise(
      this.#transport.answer({ method: 'GET', path: `/v1/uploads/${encodeURIComponent(id)}`, options }),
    );
  }

  /**
   * The upload when its checks are over. Nothing needs to wait for that: a create may name an upload at once.
   *
   * @throws RenderkitError `unprocessable` when it was rejected, `aborted` by the signal.
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

  /** Removes the file and gives its bytes back. */
  delete(id: string, options?: RequestOptions): ApiPromise<DeletedUpload> {
    return new ApiPromise(
      this.#transport.answer({ method: 'DELETE', path: `/v1/uploads/${encodeURIComponent(id)}`, options }),
    );
  }
}

function isAddress(value: FileInput | CreateUploadRequest): value is CreateUploadRequest {
  return typeof (value as { url?: unknown }).url === 'string' && !(value instanceof Response);
}

/** Everything that was generated on the account. */
export class Assets {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first, without end: `for await (const asset of rk.assets.list({ type: 'video' }))`. */
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

  /** One picture: `await rk.assets.retrieveImage(output.id)`. */
  retrieveImage(id: string, options?: RequestOptions): ApiPromise<Asset> {
    const path = `/v1/assets/images/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'GET', path, options }));
  }

  /** Makes an item a favorite, or no longer one: `await rk.assets.setFavorite('image', id, true)`. */
  setFavorite(
    type: 'image' | 'video' | 'frame',
    id: string,
    favorite: boolean,
    options?: RequestOptions,
  ): ApiPromise<FavoriteAsset> {
    const path = `/v1/assets/${type}/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'PATCH', path, body: { favorite }, options }));
  }

  /** Takes an item out of the library; the record of its generation stays. */
  delete(type: 'image' | 'video' | 'frame', id: string, options?: RequestOptions): ApiPromise<DeletedAsset> {
    const path = `/v1/assets/${type}/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'DELETE', path, options }));
  }
}

/** Folders for what is generated. */
export class Projects {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first, without end: `for await (const project of rk.projects.list())`. */
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

  /** A new one: `await rk.projects.create({ title: 'Autumn posters' })`. */
  create(body: CreateProjectRequest = {}, options?: RequestOptions): ApiPromise<Project> {
    return new ApiPromise(this.#transport.answer({ method: 'POST', path: '/v1/projects', body, options }));
  }

  retrieve(id: string, options?: RequestOptions): ApiPromise<Project> {
    return new ApiPromise(
      this.#transport.answer({ method: 'GET', path: `/v1/projects/${encodeURIComponent(id)}`, options }),
    );
  }

  /** Another title: `await rk.projects.update(id, { title: 'Winter posters' })`. */
  update(id: string, body: UpdateProjectRequest, options?: RequestOptions): ApiPromise<Project> {
    const path = `/v1/projects/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'PATCH', path, body, options }));
  }

  /** Deletes it in the studio too. */
  delete(id: string, options?: RequestOptions): ApiPromise<DeletedProject> {
    const path = `/v1/projects/${encodeURIComponent(id)}`;
    return new ApiPromise(this.#transport.answer({ method: 'DELETE', path, options }));
  }
}
