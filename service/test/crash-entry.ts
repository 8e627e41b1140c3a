import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { startService } from '../src/app.ts';
import { readServiceConfig } from '../src/config.ts';

// Runs the service as a process that ends as by `kill -9` when it first reaches the point named by its argument.
const [, , point] = process.argv;

await runPart({
  start: () =>
    startService(readServiceConfig(process.env), {
      testHooks: {
        crashPoint: (name) => {
          if (name === point) process.kill(process.pid, 'SIGKILL');
        },
      },
    }),
  stopWithinMs: 10_000,
  onStartFailure: (error) => process.stderr.write(`${String(error)}\n`),
});
