import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One webhook request as its receiver saw it. */
export type Arrival = {
  /** Index of the account in the load, and of its endpoint. */
  accountIndex: number;
  endpointIndex: number;
  eventId: string;
  deliveryId: string;
  type: string;
  /** The generation or the upload of the event. */
  subjectId: string;
  /** SHA-256 of the body. */
  digest: string;
  genuine: boolean;
  /** The status of the answer. */
  status: number;
};

export type Receiver = AsyncDisposable & {
  arrivals: Arrival[];
  urlOf: (accountIndex: number, endpointIndex: number) => string;
  /** The address of the picture. */
  pictureUrl: string;
  /** Must be called once the endpoint exists. Its signatures are checked from then on. */
  learnSecret: (accountIndex: number, endpointIndex: number, secret: string) => void;
};

/** Receives webhooks. `flaky`: refuses one event in ten when it first arrives at an account's second endpoint. */
export async function startReceiver({
  flaky,
  picture,
}: {
  flaky: boolean;
  /** The picture that the receiver serves. */
  picture: Buffer;
}): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const secrets = new Map<string, string>();
  const refused = new Set<string>();
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end(picture);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const [accountIndex = -1, endpointIndex = -1] = (request.url ?? '').slice(1).split('/').map(Number);
      const event = JSON.parse(body.toString()) as { id: string; type: string; data: { id: string } };
      const refuse =
        flaky && endpointIndex === 1 && isTenth(event.id) && !refused.has(`${accountIndex} ${event.id}`);
      if (refuse) refused.add(`${accountIndex} ${event.id}`);
      const status = refuse ? 500 : 204;
      arrivals.push({
        accountIndex,
        endpointIndex,
        eventId: event.id,
        deliveryId: String(request.headers['service-delivery']),
        type: event.type,
        subjectId: event.data.id,
        digest: createHash('sha256').update(body).digest('hex'),
        genuine: isGenuine(
          String(request.headers['service-signature']),
          body,
          secrets.get(`${accountIndex}/${endpointIndex}`),
        ),
        status,
      });
      response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    arrivals,
    urlOf: (accountIndex, endpointIndex) => `http://127.0.0.1:${port}/${accountIndex}/${endpointIndex}`,
    pictureUrl: `http://127.0.0.1:${port}/picture.png`,
    learnSecret: (accountIndex, endpointIndex, secret) =>
      secrets.set(`${accountIndex}/${endpointIndex}`, secret),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function isTenth(eventId: string): boolean {
  return (createHash('sha256').update(eventId).digest()[0] as number) % 10 === 0;
}

function isGenuine(header: string, body: Buffer, secret: string | undefined): boolean {
  const [, t, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (secret === undefined || t === undefined) return false;
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex') === signature;
}
