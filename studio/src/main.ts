import { describeStartFailure } from '@renderkit/server-kit/files/file-errors.ts';
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { startStudio } from './app.ts';
import { readStudioConfig } from './config.ts';

await runPart({
  start: async () => startStudio(readStudioConfig(process.env)),
  stopWithinMs: 10_000,
  onStartFailure: (error) => process.stderr.write(`${describeStartFailure(error, 'The studio')}\n`),
});
