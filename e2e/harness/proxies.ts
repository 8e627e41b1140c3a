import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export type Proxy = AsyncDisposable & { url: string };

const nginx = [process.env['NGINX_PATH'], '/usr/sbin/nginx', '/usr/bin/nginx'].find(
  (place) => place !== undefined && existsSync(place),
);

/** Why tests with nginx are skipped; false when there is one. */
export const noNginx: string | false = nginx === undefined && 'there is no nginx; NGINX_PATH may name one';

export type NginxOptions = {
  /** The port to listen on; by default a free port. */
  port?: number;
  /** The path below which the server is reached; by default the root. */
  path?: string;
  /** Whether nginx passes the path on to the server. */
  keepsPath?: boolean;
};

/**
 * Starts nginx in front of a server with only the settings that it needs to start, so it buffers answers as it does by
 * default.
 */
export async function startNginx(target: string, options: NginxOptions = {}): Promise<Proxy> {
  const { path: below = '', keepsPath = false } = options;
  const directory = await mkdtemp(path.join(tmpdir(), 'nginx-'));
  const port = options.port ?? (await freePort());
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  await writeFile(
    path.join(directory, 'nginx.conf'),
    `daemon off; master_process off; pid ${directory}/pid; error_log ${directory}/error.log;
     events {}
     http {
       access_log off; ${temporary.join(' ')}
       server { listen 127.0.0.1:${port}; location ${below}/ { proxy_pass ${target}${keepsPath ? '' : '/'}; proxy_set_header Host $http_host; } }
     }`,
  );
  const child = spawn(nginx ?? '', ['-p', directory, '-c', path.join(directory, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilListening(port, child);
  return {
    url: `http://127.0.0.1:${port}${below}`,
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Starts a proxy that passes an answer on only when it is complete, as some firewalls do. */
export async function startHoldingProxy(target: string): Promise<Proxy & { asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void hold(request, target, gone.signal)
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function hold(request: IncomingMessage, target: string, signal: AbortSignal) {
  const body = await buffer(request);
  const { authorization = '', 'content-type': type, 'last-event-id': lastEventId } = request.headers;
  const answer = await fetch(`${target}${request.url ?? ''}`, {
    method: request.method ?? 'GET',
    headers: {
      authorization,
      accept: request.headers.accept ?? '*/*',
      ...(type !== undefined && { 'content-type': type }),
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    },
    signal,
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  });
  return {
    status: answer.status,
    headers: Object.fromEntries(
      [...answer.headers].filter(([name]) => name === 'content-type' || name.startsWith('x-')),
    ),
    body: Buffer.from(await answer.arrayBuffer()),
  };
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      once(socket, 'error').then(() => false),
    ]);
    socket.destroy();
    if (isOpen) return;
    await sleep(20);
  }
  throw new Error(`nginx ended with ${child.exitCode}`);
}
