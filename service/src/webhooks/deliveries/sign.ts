import { createHmac } from 'node:crypto';

/**
 * The value of Service-Signature (docs/api.md §6): `t` and, for each secret, a `v1`, the lower-case hexadecimal
 * HMAC-SHA256 of `<t>.<body>` under the whole secret, `whsec_` included, in the order of the secrets. `t` is Unix seconds.
 */
export function signatureHeader(secrets: readonly string[], t: number, body: Buffer): string {
  const signatures = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'),
  );
  return [`t=${t}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}
