import type { DeliveryFailure } from '@renderkit/contract/console/schemas/delivery.ts';
import { webhookTimeoutSeconds } from '@renderkit/contract/v1/limits.ts';
import type { EgressFailureKind } from '@renderkit/egress/egress-refusal.ts';
import type { Egress, EgressResult } from '@renderkit/egress/guarded-fetch.ts';
import type { SigningSecrets } from '../endpoints/signing-secrets.ts';
import { requestHeaders, signatureHeader } from './sign.ts';
import type { AttemptOutcome, Claim } from './store.ts';

/** How many bytes of an answer's body are read, and how many of these are recorded. */
const maxReadBytes = 64 * 1024;
const maxRecordedBytes = 1024;

export type AttemptDependencies = {
  egress: Pick<Egress, 'request'>;
  secrets: Pick<SigningSecrets, 'open'>;
  /** Milliseconds since 1970: receivers compare `t` with their own clocks. Default: this machine's clock. */
  now?: (() => number) | undefined;
};

/**
 * Makes one attempt (docs/api.md §6) and returns its outcome; undefined where this process stopped the attempt. The
 * status line decides the outcome: an error in the body after it is not a failure. The function in
 * `service/sql/functions/record_attempts.sql` decides whether the delivery succeeded, failed or is retried.
 */
export async function attempt(
  claim: Claim,
  { egress, secrets, now = Date.now }: AttemptDependencies,
): Promise<AttemptOutcome | undefined> {
  const { body } = claim;
  let signature: string;
  try {
    const opened = claim.encryptedSecrets.map((secret) => secrets.open(secret, claim.endpointId));
    signature = signatureHeader(opened, Math.floor(now() / 1000), body);
  } catch {
    return { durationMs: 0, status: null, failure: 'unsigned', answer: null };
  }
  const result = await egress.request({
    method: 'POST',
    url: claim.url,
    headers: requestHeaders({ id: claim.deliveryId, eventType: claim.eventType }, signature),
    body,
    totalTimeoutMs: webhookTimeoutSeconds * 1000,
    maxResponseBytes: maxReadBytes,
    whenLarger: 'cut',
    poolKey: claim.endpointId,
  });
  return outcomeOf(result);
}

/** Maps a failure of the guarded fetch to its name in the record of an attempt. */
const failureOfKind = {
  blocked: 'blocked_address',
  dns: 'dns',
  refused: 'refused',
  timeout: 'timeout',
  tls: 'tls',
  redirect: 'redirect',
  too_large: 'oversized_head',
  too_slow: 'timeout',
  protocol: 'reset',
} as const satisfies Record<Exclude<EgressFailureKind, 'aborted'>, DeliveryFailure>;

function outcomeOf(result: EgressResult): AttemptOutcome | undefined {
  const { durationMs } = result;
  if (result.ok) {
    const { status } = result;
    const isSuccess = status >= 200 && status <= 299;
    return { durationMs, status, failure: isSuccess ? null : 'status', answer: beginning(result.body) };
  }
  if (result.kind === 'aborted') return undefined;
  return { durationMs, status: result.status, failure: failureOfKind[result.kind], answer: null };
}

/**
 * Returns the beginning of a body as text that PostgreSQL accepts. Invalid UTF-8 and U+0000 become replacement
 * characters.
 */
function beginning(body: Buffer): string {
  return body.subarray(0, maxRecordedBytes).toString('utf8').replaceAll('\0', '\ufffd');
}
