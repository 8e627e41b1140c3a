import { setTimeout as sleep } from 'node:timers/promises';
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { startService } from '../src/app.ts';
import { readServiceConfig } from '../src/config.ts';

/** What becomes of the process when it first comes to a point. */
export type Doom = { point?: string; fate?: 'dies' | 'waits'; leaseMs: number };

// The service as a process with short leases, which at a named point ends as by `kill -9`, or says so and waits there
// to be stopped and continued.
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
