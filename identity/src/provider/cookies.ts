/** Browsers keep cookies by host and not by port: the port in the name keeps several studios of one machine apart. */
export function cookiesOf(keys: string[], issuer: URL) {
  const secure = issuer.protocol === 'https:';
  const name = `studio_${issuer.port || (secure ? 443 : 80)}`;
  const attributes = { httpOnly: true, sameSite: 'lax', secure };
  return {
    keys,
    names: {
      session: `${secure ? '__Host-' : ''}${name}_session`,
      // These have a path of their own, which the other prefix forbids.
      interaction: `${secure ? '__Secure-' : ''}${name}_interaction`,
      resume: `${secure ? '__Secure-' : ''}${name}_resume`,
    },
    long: { ...attributes, path: '/' },
    short: attributes,
  };
}
