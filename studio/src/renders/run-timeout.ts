import type { Route } from '@renderkit/engine-kit/route.ts';

/** For routes that set no limit themselves. */
const runSeconds = { image: 10 * 60, video: 60 * 60 };

/** Returns how many seconds a job may run from its start. Errors of our own with it are waited out for as long. */
export const runSecondsOf = ({ timeouts, outputs }: Route) => timeouts?.run ?? runSeconds[outputs.kind];
