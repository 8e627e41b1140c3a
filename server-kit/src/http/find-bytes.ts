/**
 * Makes the function that finds where `wanted` (255 bytes at most, the first of them in it once) begins in some bytes, or -1. After
 * Horspool: what stands where the last byte would be says how far to go on, so that of most bytes one in many is looked
 * at. Where that says little, a byte is looked at twice at most, for two finds cannot begin within one another.
 */
export function findBytes(wanted: Uint8Array): (bytes: Uint8Array) => number {
  const { length } = wanted;
  const [first] = wanted;
  const step = new Uint8Array(256).fill(length);
  for (let i = 0; i < length - 1; i++) step[wanted[i] as number] = length - 1 - i;
  return (bytes) => {
    for (let at = length - 1; at < bytes.length; at += step[bytes[at] as number] as number) {
      const begin = at - length + 1;
      if (bytes[begin] !== first) continue;
      let same = 1;
      while (same < length && bytes[begin + same] === wanted[same]) same++;
      if (same === length) return begin;
    }
    return -1;
  };
}

/** How many bytes at the end may be the beginning of `wanted`. */
export function begunAtEnd(bytes: Uint8Array, wanted: Uint8Array): number {
  for (let begin = Math.max(0, bytes.length - wanted.length + 1); begin < bytes.length; begin++) {
    let same = 0;
    while (begin + same < bytes.length && bytes[begin + same] === wanted[same]) same++;
    if (begin + same === bytes.length) return same;
  }
  return 0;
}
