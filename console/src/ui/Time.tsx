import { exactUtc, localTime, relativeTime } from '../format/times.ts';

type TimeProps = {
  /** ISO 8601; null shows `none`. */
  at: string | null;
  /** Said when there is no time. */
  none?: string;
  /** `3 minutes ago` in place of the date. */
  relative?: boolean;
};

/** A moment in the viewer's zone, the exact one in UTC on hover. */
export function Time({ at, none = '—', relative = false }: TimeProps) {
  if (at === null) return <span>{none}</span>;
  const now = new Date();
  return (
    <time dateTime={at} title={exactUtc(at)}>
      {relative ? relativeTime(at, now) : localTime(at, now)}
    </time>
  );
}
