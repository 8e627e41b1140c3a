import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { DeleteUpload } from '../uploads/delete-upload.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request of a facade. */
    brought?: BroughtFiles;
  }
}

/**
 * The files of a request. They are stored before it is known whether the request is accepted, because a form may have
 * fields after its files. A refused request leaves none of them. `facade-exchange.ts` decides whether they are kept.
 */
export class BroughtFiles {
  readonly #deleteUpload: DeleteUpload;
  readonly #log: Logger;
  #uploads: { id: string; accountId: string }[] = [];

  constructor({ deleteUpload, log }: { deleteUpload: DeleteUpload; log: Logger }) {
    this.#deleteUpload = deleteUpload;
    this.#log = log;
  }

  /** Adds a stored file. */
  add(upload: { id: string; accountId: string }): void {
    this.#uploads.push(upload);
  }

  /** Keeps the files, because a generation names them, or may name them. */
  keep(): void {
    this.#uploads = [];
  }

  /**
   * Removes the files that are not kept. Never throws: a file that remains is removed a month later, like any unused
   * upload.
   */
  async remove(): Promise<void> {
    await Promise.all(
      this.#uploads.splice(0).map((upload) =>
        this.#deleteUpload(upload).catch((error: unknown) => {
          if (!(error instanceof ApiProblem))
            this.#log.warn({ uploadId: upload.id, err: error }, 'a file of a refused request was left');
        }),
      ),
    );
  }
}
