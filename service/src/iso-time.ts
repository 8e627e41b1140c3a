/** PostgreSQL's `2026-11-21 09:30:00.0123+00` as `2026-11-21T09:30:00.012Z`. */
export function isoTime(text: string): string {
  const fraction = text.charAt(19) === '.' ? text.slice(20, text.indexOf('+', 20)) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}
