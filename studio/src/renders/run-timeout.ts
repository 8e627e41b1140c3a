import type { Route } from '@renderkit/engine-kit/route.ts';

/** For routes that set no limit themselves. */
const runSeconds = { image: 10 * 60, video: 60 * 60 };

/**
 * Returns how many seconds a job may run from its start. The studio waits out its own errors with the job for as many
 * seconds. `follow-job.ts` enforces the time. `studio/src/catalog/route-row.ts` has the same numbers.
 */
export const runSecondsOf = ({ timeouts, outputs }: Route) => timeouts?.run ?? runSeconds[outputs.kind];
