/**
 * Converts PostgreSQL's `2026-11-21 09:30:00.0123+00` to `2026-11-21T09:30:00.012Z`.
 * `service/sql/functions/iso_time.sql` does the same in SQL.
 */
export function isoTime(text: string): string {
  const fraction = text.charAt(19) === '.' ? text.slice(20, text.indexOf('+', 20)) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

const endOfTimes = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Converts a time of RFC 3339 to UTC, because a database does not accept every valid offset, nor a year of five digits.
 */
export function utcMoment(text: string): string {
  return new Date(Math.min(Math.max(0, Date.parse(text)), endOfTimes)).toISOString();
}
