/**
 * Browsers separate cookies by host, not by port. The port in the name separates several studios on one machine.
 * `provider.ts` decides how long a session lives.
 */
export function cookiesOf(keys: string[], issuer: URL) {
  const secure = issuer.protocol === 'https:';
  const name = `studio_${issuer.port || (secure ? 443 : 80)}`;
  const attributes = { httpOnly: true, sameSite: 'lax', secure };
  return {
    keys,
    names: {
      session: `${secure ? '__Host-' : ''}${name}_session`,
      // These cookies have their own path, which the `__Host-` prefix forbids.
      interaction: `${secure ? '__Secure-' : ''}${name}_interaction`,
      resume: `${secure ? '__Secure-' : ''}${name}_resume`,
    },
    long: { ...attributes, path: '/' },
    short: attributes,
  };
}
