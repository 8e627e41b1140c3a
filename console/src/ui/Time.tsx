import { formatUtc, formatLocalTime, formatRelativeTime } from '../format/times.ts';

type TimeProps = {
  /** ISO 8601. `null` shows `none`. */
  at: string | null;
  /** Shown when there is no time. */
  none?: string;
  /** Shows `3 minutes ago` instead of the date. */
  relative?: boolean;
};

/** A time in the viewer's time zone. On hover, shows the exact time in UTC. */
export function Time({ at, none = '—', relative = false }: TimeProps) {
  if (at === null) return <span>{none}</span>;
  const now = new Date();
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {relative ? formatRelativeTime(at, now) : formatLocalTime(at, now)}
    </time>
  );
}
