import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';

/** Its head alone: a long file may take its time. */
const firstByteMs = 15_000;
/** A studio may send on to a bucket, and that to another address of its own. */
const maxRedirects = 5;
/** Bytes of a file that are read ahead of who takes them: as little as a stream does. */
const connections = { keepAlive: true, highWaterMark: 16 * 1024 };

/**
 * Gets files by Node's own client: a reader that stands still for minutes costs little memory, and loses nothing when the
 * other side ends the connection behind the last byte.
 */
export class FileGetter implements Disposable {
  readonly #agents = { 'http:': new http.Agent(connections), 'https:': new https.Agent(connections) };

  /** The answer, whatever its status, behind all redirects. @throws where there is none */
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
        // Where the connection breaks, whoever reads is told by the answer.
        request.on('error', () => undefined);
        return response;
      } catch (error) {
        // The other side ended an idle connection in the moment in which it was taken again.
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
