const hour = 3_600_000;

export const recoverChoices = [
  { value: 'hour', label: 'An hour ago', backMs: hour },
  { value: 'day', label: 'A day ago', backMs: 24 * hour },
  { value: 'week', label: 'A week ago', backMs: 7 * 24 * hour },
  { value: 'custom', label: 'Another moment', backMs: undefined },
] as const;

/**
 * Returns the chosen time as ISO 8601 in UTC. `undefined` when it is invalid. `custom` is in the viewer's time zone.
 */
export function sinceOf(chosen: string, custom: string, now: Date): string | undefined {
  const back = recoverChoices.find(({ value }) => value === chosen)?.backMs;
  const moment = back === undefined ? new Date(custom) : new Date(now.getTime() - back);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}
