import { type EventType, subscribableEventTypes } from '@renderkit/contract/v1/event-types.ts';
import { EgressRefusal } from '@renderkit/server-kit/egress/egress-refusal.ts';
import { hostOf, judgeAddresses, judgeUrl } from '@renderkit/server-kit/egress/judge-url.ts';
import type { Cidr } from '@renderkit/server-kit/egress/public-address.ts';
import { dnsResolver, type NameResolver } from '@renderkit/server-kit/egress/resolve-name.ts';
import { isIP } from 'node:net';
import { ApiProblem, type FieldError } from '../problems/api-problem.ts';

export type SubscribableEventType = Exclude<EventType, 'ping'>;

/** Names of servers are asked for so long before the endpoint is taken as it is. */
const lookUpMs = 3_000;

/**
 * Judges what an endpoint is to be, and gives the URL in the form that is requested. A name that leads to an address
 * which is not public is refused here already; it is judged again at each connect, so one that cannot be looked up
 * now may stay.
 * @throws ApiProblem `invalid_request`
 */
export async function judgeEndpoint(
  wanted: { url: string; events: readonly string[] },
  options: { allow: readonly Cidr[]; resolver?: NameResolver | undefined },
): Promise<{ url: string; events: SubscribableEventType[] }> {
  const errors: FieldError[] = [];
  const url = await judged(wanted.url, options).catch((error: unknown) => {
    if (!(error instanceof EgressRefusal)) throw error;
    errors.push({ field: 'url', message: error.message });
    return '';
  });
  const chosen = new Set(wanted.events);
  const events = subscribableEventTypes.filter((type) => chosen.delete(type));
  if (chosen.size > 0)
    errors.push({ field: 'events', message: `must be some of ${subscribableEventTypes.join(', ')}.` });
  if (errors.length > 0) throw new ApiProblem('invalid_request', { errors });
  return { url, events };
}

async function judged(
  raw: string,
  { allow, resolver = dnsResolver() }: { allow: readonly Cidr[]; resolver?: NameResolver | undefined },
): Promise<string> {
  const url = judgeUrl(raw, { allow });
  const host = hostOf(url);
  if (isIP(host) === 0) {
    const addresses = await resolver(host, AbortSignal.timeout(lookUpMs)).catch(() => []);
    judgeAddresses(addresses, url.protocol, allow);
  }
  return url.href;
}
