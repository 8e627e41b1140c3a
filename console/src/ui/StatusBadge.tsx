import classes from './status-badge.module.css';

/** The tone of each status: success, failure, waiting, running, or over. */
const tones = {
  succeeded: 'good',
  delivered: 'good',
  active: 'good',
  live: 'good',
  ready: 'good',
  offered: 'good',
  fits: 'good',
  sure: 'good',
  failed: 'bad',
  failing: 'bad',
  rejected: 'bad',
  down: 'bad',
  unfit: 'bad',
  queued: 'wait',
  pending: 'wait',
  processing: 'wait',
  expired: 'wait',
  unreachable: 'wait',
  resting: 'wait',
  draining: 'wait',
  draft: 'wait',
  guess: 'wait',
  running: 'run',
  busy: 'run',
  canceled: 'idle',
  ended: 'idle',
  paused: 'idle',
  revoked: 'idle',
  off: 'idle',
  retired: 'idle',
  likely: 'idle',
} as const;

export type StatusName = keyof typeof tones;

/** Returns a status as a capitalized word. */
export function statusLabel(status: string): string {
  return `${status.charAt(0).toUpperCase()}${status.slice(1)}`;
}

/** A status: a dot in its color, and the word. */
export function StatusBadge({ status, label }: { status: StatusName; label?: string }) {
  return (
    <span className={classes['badge']} data-tone={tones[status]}>
      <span className={classes['dot']} aria-hidden="true" />
      {label ?? statusLabel(status)}
    </span>
  );
}
