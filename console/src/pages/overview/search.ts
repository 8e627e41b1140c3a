import { wholeNumber } from '../../format/search-params.ts';

/** Number of days in the charts. 30 is the default and needs no parameter. */
export function overviewSearch(search: Record<string, unknown>): { days?: 7 | 90 } {
  const days = wholeNumber(search['days'], { min: 7, max: 90 });
  return days === 7 || days === 90 ? { days } : {};
}
