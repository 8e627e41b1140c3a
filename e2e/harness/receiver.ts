import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSignedCertificate } from '@renderkit/egress/testing/self-signed-certificate.ts';

/** One webhook request that arrived. */
export type Arrival = { path: string; headers: IncomingMessage['headers']; body: string };

export type SecureReceiver = AsyncDisposable & {
  /** Begins with https. */
  url: string;
  /** In PEM. Senders must trust it (NODE_EXTRA_CA_CERTS). */
  certificate: string;
  arrivals: Arrival[];
  /** Makes the answer to each request; `thanks` at first. */
  answer: (arrival: Arrival) => { status: number; body: string };
};

export const thanks: SecureReceiver['answer'] = () => ({ status: 200, body: 'thank you' });

/** Receives webhooks through https on this machine. Senders need EGRESS_ALLOW for it. */
export async function startSecureReceiver(): Promise<SecureReceiver> {
  const { key, cert } = selfSignedCertificate('127.0.0.1');
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      const arrival = { path: url, headers, body: Buffer.concat(chunks).toString() };
      receiver.arrivals.push(arrival);
      const { status, body } = receiver.answer(arrival);
      response.writeHead(status).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: SecureReceiver = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate: cert,
    arrivals: [],
    answer: thanks,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
