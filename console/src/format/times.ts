/** Formats a time in UTC: `2026-11-21 18:04:09 UTC`. */
export function formatUtc(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Formats a time in the viewer's zone and language. Leaves out the year if it is the current year. */
export function formatLocalTime(
  iso: string,
  now: Date,
  options: { zone?: string; locale?: string } = {},
): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const sameYear = date.getFullYear() === now.getFullYear();
  return new Intl.DateTimeFormat(options.locale, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(!sameYear && { year: 'numeric' }),
    ...(options.zone !== undefined && { timeZone: options.zone }),
  }).format(date);
}

const steps: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Formats a time relative to now: `3 minutes ago`, `in 2 days`. Within a minute: `just now` or `in a moment`. */
export function formatRelativeTime(iso: string, now: Date): string {
  const seconds = (new Date(iso).getTime() - now.getTime()) / 1_000;
  if (Number.isNaN(seconds)) return iso;
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size)
      return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(
        Math.trunc(seconds / size),
        unit,
      );
  }
  return seconds > 0 ? 'in a moment' : 'just now';
}
