import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;

/** `rawBody` is the unparsed body (a Buffer), `header` the value of Service-Signature. */
export function isGenuine(rawBody, header, secret, nowSeconds = Date.now() / 1000) {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const t = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d+$/.test(t) || Math.abs(nowSeconds - Number(t)) > toleranceSeconds) return false;
  const wanted = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest();
  // For a day after a rotation there are two v1 values: either may match.
  return parts.some(([name, value]) => {
    const given = Buffer.from(name === 'v1' ? (value ?? '') : '', 'hex');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}
