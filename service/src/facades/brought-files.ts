import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { DeleteUpload } from '../uploads/delete-upload.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of every request of a facade. */
    brought?: BroughtFiles;
  }
}

/**
 * Files of a request, which are stored before anybody can say whether it is accepted: a form may have its fields behind
 * its files. Refused, it leaves none of them.
 */
export class BroughtFiles {
  readonly #deleteUpload: DeleteUpload;
  readonly #log: Logger;
  #uploads: { id: string; accountId: string }[] = [];

  constructor({ deleteUpload, log }: { deleteUpload: DeleteUpload; log: Logger }) {
    this.#deleteUpload = deleteUpload;
    this.#log = log;
  }

  /** One more is stored. */
  add(upload: { id: string; accountId: string }): void {
    this.#uploads.push(upload);
  }

  /** A generation names them, or may. */
  keep(): void {
    this.#uploads = [];
  }

  /** Removes what is not kept. Never throws: one that stays is removed a month later, as any that nothing names. */
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
