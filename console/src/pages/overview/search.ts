import { wholeNumber } from '../../format/search-params.ts';

/** Over how many days the charts go; 30 is no parameter. */
export function overviewSearch(search: Record<string, unknown>): { days?: 7 | 90 } {
  const days = wholeNumber(search['days'], { min: 7, max: 90 });
  return days === 7 || days === 90 ? { days } : {};
}
