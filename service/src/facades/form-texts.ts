import { jsonBodyBytes } from '@renderkit/contract/v1/limits.ts';
import { type FormPart, MalformedForm } from '@renderkit/server-kit/http/multipart.ts';
import { type Pace, SenderLost } from '@renderkit/server-kit/http/paced-body.ts';
import { RateFloor } from '@renderkit/server-kit/http/rate-floor.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidField } from '../problems/api-problem.ts';
import type { LargeBodies } from '../validation/large-bodies.ts';

export type FormReading = {
  request: FastifyRequest;
  reply: FastifyReply;
  accountId: string;
  largeBodies: LargeBodies;
  pace: Pace;
  /** Bytes of all texts together at most. */
  limitBytes: number;
};

/**
 * What a form has beside its files: heads, texts and whatever stands around its parts. All of it has one size and one pace
 * together. Texts beyond what JSON may always have take a slot among the large bodies, for as long as JSON of the largest
 * size may take: a form must not hold it with the files that follow.
 */
export class FormTexts implements Disposable {
  readonly #reading: FormReading;
  readonly #floor: RateFloor;
  #giveUp: () => void = () => undefined;
  #isTooSlow = false;
  #bytes = 0;
  #slot: { release: () => void; until: number } | undefined;

  constructor(reading: FormReading) {
    this.#reading = reading;
    this.#floor = new RateFloor(reading.pace.minBytesPerSecond, reading.pace.windowMs, () => {
      this.#isTooSlow = true;
      this.#giveUp();
    });
  }

  /** What comes next of it; nothing where that was all. @throws SenderLost, MalformedForm, ApiProblem */
  async next(parts: AsyncIterator<FormPart, void>): Promise<FormPart | undefined> {
    const part = await this.#wait(parts, ({ name }) => Buffer.byteLength(name));
    if (part !== undefined) await this.#take(Buffer.byteLength(part.name));
    return part;
  }

  /** The text of a part. @throws SenderLost, MalformedForm, ApiProblem */
  async read({ content }: FormPart): Promise<string> {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = await this.#wait(content, ({ length }) => length);
      if (chunk === undefined) return Buffer.concat(chunks).toString('utf8');
      await this.#take(chunk.length);
      chunks.push(chunk);
    }
  }

  /** The bytes of a file, while the form may hold its slot. @throws SenderLost */
  async *inTime(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const chunk of bytes) {
      this.#checkSlot();
      yield chunk;
    }
  }

  [Symbol.dispose](): void {
    this.#floor[Symbol.dispose]();
    this.#slot?.release();
  }

  async #wait<T>(source: AsyncIterator<T, void>, bytesOf: (value: T) => number): Promise<T | undefined> {
    this.#checkSlot();
    this.#floor.wait();
    const next = await new Promise<IteratorResult<T, void>>((resolve, reject) => {
      this.#giveUp = () => reject(new SenderLost('the form came too slowly'));
      source
        .next()
        .then(resolve, (cause: unknown) =>
          reject(
            cause instanceof MalformedForm ? cause : new SenderLost('the form ended too soon', { cause }),
          ),
        );
    });
    this.#floor.received(next.done === true ? 0 : bytesOf(next.value));
    // It may have become so with what just came.
    if (this.#isTooSlow) throw new SenderLost('the form came too slowly');
    return next.done === true ? undefined : next.value;
  }

  async #take(bytes: number): Promise<void> {
    const { limitBytes, largeBodies, accountId, request, reply, pace } = this.#reading;
    this.#bytes += bytes;
    if (this.#bytes > limitBytes)
      throw invalidField('body', `must not have fields of more than ${limitBytes} bytes together`);
    if (this.#bytes <= jsonBodyBytes || this.#slot !== undefined) return;
    const announced = Number(request.raw.headers['content-length'] ?? limitBytes);
    const release = await largeBodies.enter(accountId, Math.min(announced, limitBytes), reply.raw);
    this.#slot = { release, until: performance.now() + (1_000 * limitBytes) / pace.minBytesPerSecond };
  }

  #checkSlot(): void {
    if (this.#slot !== undefined && performance.now() > this.#slot.until)
      throw new SenderLost('the form came too slowly for its place');
  }
}
