import { describeStartFailure } from '@renderkit/server-kit/files/file-errors.ts';
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { readWorkerConfig } from './config.ts';
import { startWorker } from './start-worker.ts';

await runPart({
  start: async () => startWorker(readWorkerConfig(process.env)),
  stopWithinMs: 10_000,
  onStartFailure: (error) => process.stderr.write(`${describeStartFailure(error, 'The worker')}\n`),
});
