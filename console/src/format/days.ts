const dayShape = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Returns a valid day in the form of addresses and date fields, `2026-11-21`. `undefined` when the value is not a day.
 */
export function dayOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !dayShape.test(value)) return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : value;
}

/** Returns the start and the exclusive end of a range of days in the viewer's time zone. Both days are included. */
export function momentsOf({ from, to }: { from?: string | undefined; to?: string | undefined }): {
  from?: string;
  before?: string;
} {
  const midnight = (day: string, later: number) => {
    const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
    return new Date(year, month - 1, date + later).toISOString();
  };
  return {
    ...(from !== undefined && { from: midnight(from, 0) }),
    ...(to !== undefined && { before: midnight(to, 1) }),
  };
}
