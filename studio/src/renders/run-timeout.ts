import type { Route } from '@renderkit/engine-kit/route.ts';

/** Of a route that does not say it itself. */
const runSeconds = { image: 10 * 60, video: 60 * 60 };

/** How many seconds a job may run from its start, and errors of our own with it are waited out. */
export const runSecondsOf = ({ timeouts, outputs }: Route) => timeouts?.run ?? runSeconds[outputs.kind];
