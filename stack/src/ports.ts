import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ListenTarget, explainListenError } from '@renderkit/server-kit/http/listen-error.ts';
import { StackError } from './stack-error.ts';

const pollMs = 100;

/**
 * Checks by binding that a port is free, and returns the port (for 0, one that the operating system chose).
 * @param waitMs how long to wait until a used port becomes free
 * @throws StackError
 */
export async function claimPort(options: ListenTarget & { waitMs: number }): Promise<number> {
  const deadline = performance.now() + options.waitMs;
  for (;;) {
    try {
      return await bindOnce(options.host, options.port);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EADDRINUSE' && performance.now() < deadline) await sleep(pollMs);
      else throw new StackError(explainListenError(options, error), { cause: error });
    }
  }
}

function bindOnce(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
