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
  /** How many bytes all texts together may have. */
  limitBytes: number;
};

/**
 * Reads the parts of a form except its files: heads, texts and boundaries. All of these share one size limit and one
 * pace. Texts larger than the usual JSON limit take a slot among the large bodies, for as long as the largest JSON body
 * may take. The form must not hold the slot while its files follow.
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

  /** Returns the next part; undefined at the end of the form. @throws SenderLost, MalformedForm, ApiProblem */
  async next(parts: AsyncIterator<FormPart, void>): Promise<FormPart | undefined> {
    const part = await this.#wait(parts, ({ name }) => Buffer.byteLength(name));
    if (part !== undefined) await this.#take(Buffer.byteLength(part.name));
    return part;
  }

  /** Returns the text of a part. @throws SenderLost, MalformedForm, ApiProblem */
  async read({ content }: FormPart): Promise<string> {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = await this.#wait(content, ({ length }) => length);
      if (chunk === undefined) return Buffer.concat(chunks).toString('utf8');
      await this.#take(chunk.length);
      chunks.push(chunk);
    }
  }

  /** Yields the bytes of a file while the form may hold its slot. @throws SenderLost */
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
    // The last chunk may have made the form too slow.
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
