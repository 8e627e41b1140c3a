// A studio that kills itself at a named point: `node crash-studio.ts <point>`, configured by environment.
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { startStudio } from '@renderkit/studio/app.ts';
import { readStudioConfig } from '@renderkit/studio/config.ts';

await runPart({
  start: async () =>
    startStudio(readStudioConfig(process.env), {
      crashPoint: (name) => {
        if (name === process.argv[2]) process.kill(process.pid, 'SIGKILL');
      },
    }),
  stopWithinMs: 5_000,
  onStartFailure: (error) => process.stderr.write(`${(error as Error).stack}\n`),
});
