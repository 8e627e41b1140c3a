import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses; made by `parseCidrs`. */
export type Cidr = readonly [network: Address, prefixLength: number];

/** Addresses that ipaddr.js calls unicast but that never lead to the public internet. */
const notPublic: readonly Cidr[] = [
  // Azure's host agent. Every virtual machine there can reach it, and it provides their certificates and settings.
  ipaddr.parseCIDR('168.63.129.16/32'),
  // IBM Cloud's private service network, routed only inside IBM Cloud.
  ipaddr.parseCIDR('161.26.0.0/16'),
];

/**
 * Returns whether an address, in the plain notation of sockets and DNS answers, belongs to the public internet. Returns
 * false for any other text. IPv6 must also be in 2000::/3, the only assigned part: `unicast` alone would accept
 * addresses that embed IPv4 (::7f00:1) or are not assigned (4000::1). `validateAddresses` in `validate-url.ts` refuses
 * other addresses.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === null || parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6 && !isGlobalUnicast(parsed)) return false;
  return !isWithin(parsed, notPublic);
}

/**
 * Returns whether the operator's list contains the address. `validate-url.ts` and `validate-target.ts` apply it. An
 * IPv4 address written as IPv6 matches no IPv4 block.
 */
export function isAllowed(address: string, allow: readonly Cidr[]): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isWithin(parsed, allow);
}

/** Returns whether two notations mean the same address, as `::1` and `0:0:0:0:0:0:0:1` do. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [parseAddress(one), parseAddress(other)];
  return first !== null && second !== null && first.toNormalizedString() === second.toNormalizedString();
}

/**
 * Parses a list of blocks such as `10.0.0.0/8, fd00::/8`, separated by commas or spaces. A single address is a block of
 * one. Throws a RangeError whose message contains the wrong entry and the expected form.
 */
export function parseCidrs(text: string): Cidr[] {
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(parseCidr);
}

function parseCidr(entry: string): Cidr {
  const [address = '', prefix, ...rest] = entry.split('/');
  const parsed = parseAddress(address);
  const bits = parsed?.kind() === 'ipv4' ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (parsed === null || rest.length > 0 || length < 0 || length > bits) {
    throw new RangeError(
      `"${entry}" is not a block of addresses such as 10.0.0.0/8, 192.168.1.5 or fd00::/8`,
    );
  }
  const network = firstOfBlock(parsed, length);
  if (network.toNormalizedString() !== parsed.toNormalizedString()) {
    throw new RangeError(
      `"${entry}" is not the first address of its block; write ${network.toString()}/${length}`,
    );
  }
  return [parsed, length];
}

function firstOfBlock(address: Address, length: number): Address {
  const cidr = `${address.toNormalizedString()}/${length}`;
  return address.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
    : ipaddr.IPv6.networkAddressFromCIDR(cidr);
}

function isGlobalUnicast(address: ipaddr.IPv6): boolean {
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

function isWithin(address: Address, blocks: readonly Cidr[]): boolean {
  return blocks.some(([network, length]) => {
    if (address instanceof ipaddr.IPv4)
      return network instanceof ipaddr.IPv4 && address.match(network, length);
    return network instanceof ipaddr.IPv6 && address.match(network, length);
  });
}

/**
 * ipaddr.js also reads `0x7f.1` and `2130706433`. A socket never reports these forms, so they are refused. Addresses
 * with a zone are not global.
 */
function parseAddress(address: string): Address | null {
  return isIP(address) === 0 || address.includes('%') ? null : ipaddr.parse(address);
}
