// A worker that kills itself at a named point: `node crash-worker.ts <point>`, configured by environment.
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { readWorkerConfig } from '@renderkit/studio/config.ts';
import { startWorker } from '@renderkit/studio/start-worker.ts';

await runPart({
  start: async () =>
    startWorker(readWorkerConfig(process.env), {
      crashPoint: (name) => {
        if (name === process.argv[2]) process.kill(process.pid, 'SIGKILL');
      },
    }),
  stopWithinMs: 5_000,
  onStartFailure: (error) => process.stderr.write(`${(error as Error).stack}\n`),
});
