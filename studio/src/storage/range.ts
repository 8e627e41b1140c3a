/** Returns the single byte range of a Range header (RFC 9110 §14.2). For any other header, returns `whole`. */
export function parseRange(
  header: string | undefined,
  sizeBytes: number,
): { start: number; end: number } | 'whole' | 'unsatisfiable' {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (first !== '' && last !== '' && Number(last) < start) return 'whole';
  return start >= sizeBytes || (first === '' && Number(last) === 0) ? 'unsatisfiable' : { start, end };
}
