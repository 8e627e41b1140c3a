import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';

/** Milliseconds until the head of the answer. A large file may take longer. */
const firstByteMs = 15_000;
/** A studio may redirect to a bucket, and the bucket to another of its addresses. */
const maxRedirects = 5;
/** Reads as few bytes of a file ahead of the reader as a stream does. */
const connections = { keepAlive: true, highWaterMark: 16 * 1024 };

/**
 * Gets files with Node's HTTP client. A reader that pauses for minutes costs little memory. It also loses nothing when
 * the server closes the connection after the last byte.
 */
export class FileGetter implements Disposable {
  readonly #agents = { 'http:': new http.Agent(connections), 'https:': new https.Agent(connections) };

  /** Returns the answer after all redirects, whatever its status. @throws where there is none */
  async get(address: URL, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
    let url = address;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#send(url, headers);
      const { location } = response.headers;
      const { statusCode = 0 } = response;
      if (statusCode === 304 || statusCode < 300 || statusCode > 399 || location === undefined)
        return response;
      response.resume();
      if (redirects === maxRedirects) throw new Error(`${address.href} leads on and on`);
      url = new URL(location, url);
    }
  }

  async #send(url: URL, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
    for (;;) {
      const request = this.#open(url, headers);
      const late = setTimeout(() => request.destroy(new Error('no answer in time')), firstByteMs);
      try {
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        // If the connection breaks, the reader gets the error from the answer.
        request.on('error', () => undefined);
        return response;
      } catch (error) {
        // The server closed an idle connection just when it was used again: tries once more.
        if (!request.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
      } finally {
        clearTimeout(late);
      }
    }
  }

  #open(url: URL, headers: OutgoingHttpHeaders): ClientRequest {
    if (url.protocol === 'http:') return http.get(url, { agent: this.#agents['http:'], headers });
    if (url.protocol === 'https:') return https.get(url, { agent: this.#agents['https:'], headers });
    throw new Error(`${url.protocol} is no protocol of files`);
  }

  [Symbol.dispose](): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}
