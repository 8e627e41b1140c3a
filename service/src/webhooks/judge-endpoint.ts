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

type JudgeOptions = { allow: readonly Cidr[]; resolver?: NameResolver | undefined };
type Wanted = { url?: string | undefined; events?: readonly string[] | undefined };
type Judged = { url: string; events: SubscribableEventType[] };

/**
 * Judges what an endpoint is to be, as far as it is given, and gives the URL in the form that is requested. A name that leads to an address
 * which is not public is refused here already; it is judged again at each connect, so one that cannot be looked up
 * now may stay.
 * @throws ApiProblem `invalid_request`
 */
export function judgeEndpoint(
  wanted: { url: string; events: readonly string[] },
  options: JudgeOptions,
): Promise<Judged>;
export function judgeEndpoint(wanted: Wanted, options: JudgeOptions): Promise<Partial<Judged>>;
export async function judgeEndpoint(wanted: Wanted, options: JudgeOptions): Promise<Partial<Judged>> {
  const errors: FieldError[] = [];
  const answer: Partial<Judged> = {};
  if (wanted.url !== undefined)
    try {
      answer.url = await judged(wanted.url, options);
    } catch (error) {
      if (!(error instanceof EgressRefusal)) throw error;
      errors.push({ field: 'url', message: error.message });
    }
  if (wanted.events !== undefined) {
    const chosen = new Set(wanted.events);
    answer.events = subscribableEventTypes.filter((type) => chosen.delete(type));
    if (chosen.size > 0)
      errors.push({ field: 'events', message: `must be some of ${subscribableEventTypes.join(', ')}.` });
  }
  if (errors.length > 0) throw new ApiProblem('invalid_request', { errors });
  return answer;
}

async function judged(raw: string, { allow, resolver = dnsResolver() }: JudgeOptions): Promise<string> {
  const url = judgeUrl(raw, { allow });
  const host = hostOf(url);
  if (isIP(host) === 0) {
    const addresses = await resolver(host, AbortSignal.timeout(lookUpMs)).catch(() => []);
    judgeAddresses(addresses, url.protocol, allow);
  }
  return url.href;
}
