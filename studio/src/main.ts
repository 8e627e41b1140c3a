import { runPart } from '@renderkit/server-kit/lifecycle.ts';
import { startStudio } from './app.ts';
import { ConfigError, readStudioConfig } from './config.ts';

await runPart({
  start: async () => startStudio(readStudioConfig(process.env)),
  stopWithinMs: 10_000,
  onStartFailure: (error) => {
    const known = error instanceof ConfigError;
    process.stderr.write(
      `${known ? error.message : `The studio could not start: ${(error as Error).stack}`}\n`,
    );
  },
});
