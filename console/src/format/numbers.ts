const number = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** Formats credits without unnecessary digits: `1,204.5`. */
export function formatCredits(credits: number): string {
  return number.format(credits);
}

/** Formats bytes in binary units, as limits are defined (1 MB is 1,048,576 bytes): `4.2 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${number.format(Number((bytes / 1_024 ** power).toFixed(power === 0 ? 0 : 1)))} ${units[power]}`;
}

/** `1 key`, `2 keys`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${number.format(count)} ${count === 1 ? one : many}`;
}
