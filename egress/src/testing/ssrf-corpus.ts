/** One notation of one address that must not be reached. */
export interface SsrfCase {
  block: string;
  address: string;
  notation: string;
  /** The part between `https://` and the port. */
  authority: string;
}

/**
 * IPv4 blocks outside the public internet: IANA's special-purpose registry, multicast, and special addresses of clouds.
 */
export const specialBlocksV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '161.26.0.0/16',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/** IPv6 blocks outside the public internet, including parts that are not assigned. */
export const specialBlocksV6 = [
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '400::/6',
  '800::/5',
  '1000::/4',
  '2001::/32',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '4000::/3',
  '5f00::/16',
  '6000::/3',
  '8000::/3',
  'a000::/3',
  'c000::/3',
  'e000::/4',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
] as const;

/** Blocks of the public internet that must not be refused. */
export const publicBlocks = [
  '1.0.0.0/24',
  '8.8.8.0/24',
  '9.9.9.0/24',
  '52.0.0.0/11',
  '100.0.0.0/10',
  '100.128.0.0/9',
  '126.0.0.0/8',
  '128.0.0.0/16',
  '169.253.0.0/16',
  '172.15.0.0/16',
  '172.32.0.0/11',
  '192.0.1.0/24',
  '192.167.0.0/16',
  '192.169.0.0/16',
  '198.17.0.0/16',
  '198.20.0.0/16',
  '223.0.0.0/8',
  '2001:200::/23',
  '2001:4860::/32',
  '2400::/12',
  '2606:4700::/32',
  '2800::/12',
  '2a00::/12',
  '2c00::/12',
] as const;

/**
 * Returns every special block × first, second, last and random addresses × notations. The same seed gives the same
 * cases.
 */
export function ssrfCorpus(seed: number): SsrfCase[] {
  const random = mulberry32(seed);
  const v4 = specialBlocksV4.flatMap((block) =>
    samples(block, random).flatMap((value) => cases(block, formatV4(value), notationsV4(Number(value)))),
  );
  const v6 = specialBlocksV6.flatMap((block) =>
    samples(block, random).flatMap((value) => cases(block, formatV6(value), notationsV6(value))),
  );
  return [...v4, ...v6];
}

/**
 * Returns addresses that must not be refused, in the plain notation. Tests only check them and must never connect to
 * them.
 */
export function publicAddresses(seed: number): string[] {
  const random = mulberry32(seed);
  return publicBlocks.flatMap((block) => {
    const format = block.includes(':') ? formatV6 : formatV4;
    return [0, 1, 2, 3, 4].flatMap(() => samples(block, random)).map(format);
  });
}

/** Returns the first address of a block and the number of its addresses. Also for property tests. */
export function rangeOf(block: string): { first: bigint; size: bigint } {
  const [address = '', prefix] = block.split('/');
  const bits = block.includes(':') ? 128 : 32;
  return { first: valueOf(address), size: 1n << BigInt(bits - Number(prefix)) };
}

export function formatV4(value: bigint): string {
  return bytesOf(Number(value)).join('.');
}

export function formatV6(value: bigint): string {
  // The URL parser shortens the address.
  return new URL(`https://[${groupsOf(value).join(':')}]/`).hostname.slice(1, -1);
}

function cases(block: string, address: string, notations: Record<string, string>): SsrfCase[] {
  return Object.entries(notations).map(([notation, authority]) => ({ block, address, notation, authority }));
}

function notationsV4(value: number): Record<string, string> {
  const [a, b, c, d] = bytesOf(value);
  const dotted = `${a}.${b}.${c}.${d}`;
  const hex = value.toString(16).padStart(8, '0');
  const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
  return {
    dotted,
    decimal: String(value),
    hex: `0x${hex}`,
    octal: `0${value.toString(8)}`,
    'dotted hex': bytesOf(value)
      .map((byte) => `0x${byte.toString(16)}`)
      .join('.'),
    'dotted octal': bytesOf(value)
      .map((byte) => `0${byte.toString(8)}`)
      .join('.'),
    'two parts': `${a}.${value & 0xffffff}`,
    'three parts': `${a}.${b}.${value & 0xffff}`,
    'mapped dotted': `[::ffff:${dotted}]`,
    'mapped hex': `[::ffff:${groups}]`,
    compatible: `[::${dotted}]`,
    translated: `[::ffff:0:${groups}]`,
    NAT64: `[64:ff9b::${dotted}]`,
    '6to4': `[2002:${groups}::1]`,
    'full-width': fullWidth(dotted),
    'ideographic dots': dotted.replaceAll('.', '。'),
    'percent-encoded': dotted.replaceAll(/\d/g, (digit) => `%3${digit}`),
    'trailing dot': `${dotted}.`,
    userinfo: `user:password@${dotted}`,
    'host-like userinfo': `files.example.com@${dotted}`,
  };
}

function notationsV6(value: bigint): Record<string, string> {
  const long = groupsOf(value);
  const low = Number(value & 0xffffffffn);
  return {
    shortened: `[${formatV6(value)}]`,
    long: `[${long.map((group) => group.padStart(4, '0')).join(':')}]`,
    'upper case': `[${long.join(':').toUpperCase()}]`,
    'dotted tail': `[${long.slice(0, 6).join(':')}:${bytesOf(low).join('.')}]`,
    userinfo: `user@[${long.join(':')}]`,
  };
}

function samples(block: string, random: () => number): bigint[] {
  const { first, size } = rangeOf(block);
  const offset = () => (BigInt(Math.floor(random() * 2 ** 32)) * (size / 2n ** 32n || 1n)) % size;
  return [
    ...new Set([first, first + (size > 1n ? 1n : 0n), first + offset(), first + offset(), first + size - 1n]),
  ];
}

function valueOf(address: string): bigint {
  if (!address.includes(':')) {
    return address.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n);
  }
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...middle, ...after].reduce((value, group) => value * 65536n + BigInt(`0x${group}`), 0n);
}

function bytesOf(value: number): number[] {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
}

function groupsOf(value: bigint): string[] {
  return [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16));
}

function fullWidth(text: string): string {
  return text.replaceAll(/[\d.]/g, (character) =>
    String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0),
  );
}

/** Returns a small generator of random numbers in [0, 1) from a seed. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
