const dayShape = /^\d{4}-\d{2}-\d{2}$/;

/** A day as addresses and date fields write it, `2026-11-21`; undefined where there is no such day. */
export function dayOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !dayShape.test(value)) return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : value;
}

/** The moments between which days lie in the viewer's zone, both days included. */
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
