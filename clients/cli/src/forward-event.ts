import { createHmac, randomBytes } from 'node:crypto';
import { UsageError } from './cli-error.ts';
import { nameOfProfile, readConfig, writeConfig } from './config.ts';
import type { Session } from './session.ts';

/** The time limit of a webhook (docs/api.md §6). */
const forwardTimeoutMs = 10_000;

/** Returns the given secret, else the profile's. @throws UsageError when it is not a webhook secret */
export function checkedSecret(session: Session, given: string | undefined): string {
  const secret = given ?? profileSecret(session);
  if (!secret.startsWith('whsec_')) throw new UsageError('--secret begins with whsec_.');
  return secret;
}

/**
 * Returns the profile's secret. It is created once and kept, so the program that checks signatures needs it only once.
 */
function profileSecret({ environment, values }: Session): string {
  const config = readConfig(environment.configFile);
  const secrets = (config.webhook_secrets ??= {});
  const name = nameOfProfile(environment, values, config);
  const known = secrets[name];
  if (known !== undefined) return known;
  const made = `whsec_${randomBytes(24).toString('base64url')}`;
  secrets[name] = made;
  writeConfig(environment.configFile, config);
  return made;
}

/** Parses the address that deliveries go to. @throws UsageError */
export function targetOf(text: string | undefined): URL {
  const url = text === undefined || !URL.canParse(text) ? undefined : new URL(text);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      'Say where to send them.',
      'As: renderkit listen --forward-to http://127.0.0.1:3000/hook',
    );
  return url;
}

/** The delivered event, and the object that it is about. */
type Delivered = { id: string; type: string; data: object };

type Outcome = { status?: number; error?: string; ms: number };

/** Sends one delivery, with the headers of docs/api.md §6. Returns a failure as the outcome and does not retry. */
export async function deliver(url: URL, event: Delivered, secret: string): Promise<Outcome> {
  const body = JSON.stringify(event);
  const begun = performance.now();
  const ms = () => Math.round(performance.now() - begun);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardTimeoutMs),
      headers: deliveryHeaders(event, body, secret),
      body,
    });
    await answer.body?.cancel();
    return { status: answer.status, ms: ms() };
  } catch (error) {
    const { cause, message } = error as Error;
    return { error: cause instanceof Error ? cause.message : message, ms: ms() };
  }
}

/**
 * Returns the headers of docs/api.md §6 for this body, with a fresh signature. The service makes its headers in
 * `service/src/webhooks/deliveries/sign.ts`.
 */
export function deliveryHeaders(event: Delivered, body: string, secret: string): Record<string, string> {
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-API-Webhooks/1.0',
    'Service-Event': event.type,
    'Service-Delivery': event.id.replace(/^evt_/, 'dlv_'),
    'Service-Signature': `t=${time},v1=${signature}`,
  };
}

/** Returns a delivery as one line of text. */
export function deliveryText(url: URL, { type, data }: Delivered, { status, ms, error }: Outcome): string {
  const { id = '' } = data as { id?: string };
  const why = error === undefined ? '' : `: ${error}`;
  return `${status ?? 'no answer'} POST ${url.pathname} ${type} ${id} ${ms} ms${why}`;
}
