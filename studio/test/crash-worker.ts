// A worker that kills itself when this many of its jobs have reached a named point: `node crash-worker.ts <point>
// <arrivals>`, configured by the environment.
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { readWorkerConfig } from '@renderkit/studio/config.ts';
import { startWorker } from '@renderkit/studio/start-worker.ts';

const [, , point, arrivals] = process.argv;
let left = Number(arrivals);
/** Ends the process with an error if it does not die in time, so that the waiting test fails. */
const dieWithinMs = 60_000;
setTimeout(() => process.exit(1), dieWithinMs);

await runPart({
  start: async () =>
    startWorker(readWorkerConfig(process.env), {
      crashPoint: async (name) => {
        if (name !== point) return;
        left -= 1;
        if (left === 0) process.kill(process.pid, 'SIGKILL');
        await new Promise(() => {});
      },
    }),
  stopWithinMs: 5_000,
  onStartFailure: (error) => process.stderr.write(`${(error as Error).stack}\n`),
});
