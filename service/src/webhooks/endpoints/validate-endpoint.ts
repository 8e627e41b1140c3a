import { type EventType, subscribableEventTypes } from '@renderkit/contract/v1/event-types.ts';
import { EgressRefusal } from '@renderkit/egress/egress-refusal.ts';
import { type TargetOptions, validateTarget } from '@renderkit/egress/validate-target.ts';
import { ApiProblem, type FieldError } from '../../problems/api-problem.ts';

export type SubscribableEventType = Exclude<EventType, 'ping'>;

/** Help for receiving on a machine or network that is not public. */
const insideHelp =
  'To receive on this machine or in a network of your own, whoever runs the service lists it in EGRESS_ALLOW (127.0.0.0/8 is this machine); or use a tunnel, which has a public https address.';

type Wanted = { url?: string | undefined; events?: readonly string[] | undefined };
type Validated = { url: string; events: SubscribableEventType[] };

/**
 * Validates the given fields of an endpoint and returns the URL in normal form. Refuses a name that resolves to a
 * non-public address. Each connect checks the name again (`openSocket` in `egress/src/connector.ts`), so an https name
 * that cannot be resolved now is accepted.
 * @throws ApiProblem `invalid_request`
 */
export function validateEndpoint(
  wanted: { url: string; events: readonly string[] },
  options: TargetOptions,
): Promise<Validated>;
export function validateEndpoint(wanted: Wanted, options: TargetOptions): Promise<Partial<Validated>>;
export async function validateEndpoint(wanted: Wanted, options: TargetOptions): Promise<Partial<Validated>> {
  const errors: FieldError[] = [];
  const answer: Partial<Validated> = {};
  if (wanted.url !== undefined)
    try {
      answer.url = (await validateTarget(wanted.url, { ...options, lookUp: 'all' })).href;
    } catch (error) {
      if (!(error instanceof EgressRefusal)) throw error;
      const message = error.issue === 'form' ? error.message : `${error.message} ${insideHelp}`;
      errors.push({ field: 'url', message });
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
