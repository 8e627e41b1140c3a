import { describeStartFailure } from '@renderkit/server-kit/files/file-errors.ts';
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { startService } from './app.ts';
import { readServiceConfig } from './config.ts';

await runPart({
  start: () =>
    startService(readServiceConfig(process.env), {
      onStuck: (name) => {
        process.stderr.write(`${name} makes no progress: the process ends, to be started anew.\n`);
        process.exit(1);
      },
    }),
  stopWithinMs: 10_000,
  onStartFailure: (error) => process.stderr.write(`${describeStartFailure(error, 'The service')}\n`),
});
