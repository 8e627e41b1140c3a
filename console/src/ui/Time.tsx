import { formatUtc, formatLocalTime, formatRelativeTime } from '../format/times.ts';

type TimeProps = {
  /** ISO 8601; null shows `none`. */
  at: string | null;
  /** Shown when there is no time. */
  none?: string;
  /** `3 minutes ago` in place of the date. */
  relative?: boolean;
};

/** A moment in the viewer's time zone; the exact one in UTC on hover. */
export function Time({ at, none = '—', relative = false }: TimeProps) {
  if (at === null) return <span>{none}</span>;
  const now = new Date();
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {relative ? formatRelativeTime(at, now) : formatLocalTime(at, now)}
    </time>
  );
}
