// A part that serves `/readyz` on its port (the service and the studio), and logs when it starts and stops.

import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';

const name = path.basename(process.argv[1] ?? '', '.ts');
const note = (what: string) =>
  appendFileSync(path.join(process.env['DATA_DIR'] ?? '.', 'notes'), `${name} ${what}\n`);
const port = { service: process.env['PORT'], studio: process.env['STUDIO_PORT'] }[name];

await runPart({
  stopWithinMs: 5_000,
  onStartFailure: (error) => void process.stderr.write(String(error)),
  start: async () => {
    const server = createServer((_, response) => response.end('{}'));
    if (port !== undefined)
      await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
    note(`starts ${process.pid}`);
    return {
      [Symbol.asyncDispose]: async () => {
        note('stops');
        server.closeAllConnections();
        if (port !== undefined) await new Promise((resolve) => server.close(resolve));
      },
    };
  },
});
