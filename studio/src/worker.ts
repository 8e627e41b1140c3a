import { runPart } from '@renderkit/server-kit/lifecycle.ts';
import { ConfigError, readWorkerConfig } from './config.ts';
import { startWorker } from './start-worker.ts';

await runPart({
  start: async () => startWorker(readWorkerConfig(process.env)),
  stopWithinMs: 10_000,
  onStartFailure: (error) => {
    const known = error instanceof ConfigError;
    process.stderr.write(
      `${known ? error.message : `The worker could not start: ${(error as Error).stack}`}\n`,
    );
  },
});
