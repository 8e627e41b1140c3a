import type { WebhookEvent } from './webhooks.ts';

/** Posts an event to a handler or an address as the service would, with a fresh signature. */
export async function sendWebhook(
  target: string | ((request: Request) => Response | Promise<Response>),
  event: WebhookEvent,
  secret: string,
): Promise<Response> {
  const body = JSON.stringify(event);
  const init = {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Service-Event': event.type,
      'Service-Delivery': `dlv_${event.id.slice(4)}`,
      'Service-Signature': await signature(secret, body),
    },
    body,
  };
  return typeof target === 'string' ? fetch(target, init) : target(new Request('http://test/webhook', init));
}

/** The service signs its deliveries in `service/src/webhooks/deliveries/sign.ts`. */
async function signature(secret: string, body: string): Promise<string> {
  const time = Math.floor(Date.now() / 1000);
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(`${time}.${body}`)));
  return `t=${time},v1=${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
