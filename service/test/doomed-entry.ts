import { setTimeout as sleep } from 'node:timers/promises';
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { startService } from '../src/app.ts';
import { readServiceConfig } from '../src/config.ts';

/** What happens to the process when it first reaches a point. */
export type Doom = { point?: string; fate?: 'dies' | 'waits'; leaseMs: number };

// Runs the service as a process with short leases. At a named point it ends as by `kill -9`, or reports this and waits
// there to be stopped and continued.
const doom = JSON.parse(process.argv[2] ?? '{}') as Doom;
let reached = false;

await runPart({
  start: () =>
    startService(readServiceConfig(process.env), {
      testHooks: {
        leaseMs: doom.leaseMs,
        reconcileMs: 200,
        retryMs: 100,
        deliveryPollMs: 200,
        crashPoint: async (name) => {
          if (name !== doom.point || reached) return;
          reached = true;
          if (doom.fate !== 'waits') process.kill(process.pid, 'SIGKILL');
          process.send?.({ type: 'reached', point: name });
          await sleep(100);
        },
      },
    }),
  stopWithinMs: 10_000,
  onStartFailure: (error) => process.stderr.write(`${String(error)}\n`),
});
