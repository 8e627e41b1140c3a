import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StackError } from './stack-error.ts';

const pollMs = 100;

/**
 * Checks by binding that a port is free, and answers it (for 0, one that the operating system chose).
 * @param waitMs how long one that is taken may take to become free
 * @throws StackError
 */
export async function claimPort(options: {
  name: string;
  host: string;
  port: number;
  waitMs: number;
}): Promise<number> {
  const deadline = performance.now() + options.waitMs;
  for (;;) {
    try {
      return await bindOnce(options.host, options.port);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EADDRINUSE' && performance.now() < deadline) await sleep(pollMs);
      else throw refusal(options, code, error);
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

function refusal(
  { name, host, port }: { name: string; host: string; port: number },
  code: unknown,
  cause: unknown,
) {
  const says: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use: stop what uses it, or set ${name} to another port.`,
    EACCES: `Port ${port} may not be opened by this user: set ${name} to a port of 1024 or more.`,
    EADDRNOTAVAIL: `HOST is ${JSON.stringify(host)}, which is no address of this machine: set it to 127.0.0.1, 0.0.0.0 or one of its addresses.`,
    ENOTFOUND: `HOST is ${JSON.stringify(host)}, a name that leads nowhere: set it to 127.0.0.1, 0.0.0.0 or an address of this machine.`,
  };
  const sentence = typeof code === 'string' ? says[code] : undefined;
  return new StackError(
    sentence ?? `Port ${port} on ${host} cannot be opened (${String(code)}): set ${name} to another.`,
    { cause },
  );
}
