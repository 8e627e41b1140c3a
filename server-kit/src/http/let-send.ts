import type { IncomingMessage, ServerResponse } from 'node:http';

const sending = new WeakSet<IncomingMessage>();

/** Tells a client that waits for it to send its body ("100 Continue"), once. */
export function letSend(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect === undefined || sending.has(request)) return;
  sending.add(request);
  response.writeContinue();
}
