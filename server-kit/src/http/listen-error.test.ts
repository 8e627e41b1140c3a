import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { explainListenError } from './listen-error.ts';

const nobody = 65_534;

/** Returns the message for a user without rights who tries to open this port. */
async function refusedAsNobody(port: number): Promise<string> {
  const program = `
    import { createServer } from 'node:net';
    import { explainListenError } from ${JSON.stringify(new URL('./listen-error.ts', import.meta.url).href)};
    const server = createServer().listen(${port}, '127.0.0.1');
    server.on('listening', () => server.close());
    server.on('error', (error) =>
      console.log(explainListenError({ name: 'PORT', host: '127.0.0.1', port: ${port} }, error)));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
  });
  return (await text(child.stdout)).trim();
}

function whyNoLowPort(): string | false {
  if (process.platform !== 'linux') return 'the limit is the kernel of Linux’s';
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  return first <= 80 && 'on this machine everybody may open port 80';
}

test('a low port is refused with the rule and both ways out', { skip: whyNoLowPort() }, async () => {
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  assert.equal(
    await refusedAsNobody(80),
    `Port 80 may not be opened by this user: ports below ${first} are for root, or for programs that were given the right (CAP_NET_BIND_SERVICE). ` +
      `Set PORT to ${first} or more and let a reverse proxy listen on 80, or lower the kernel's limit: sysctl -w net.ipv4.ip_unprivileged_port_start=80.`,
  );
});

test('a port that is taken and an address of others are distinguished', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const refusalOf = async (host: string) => {
    const server = createServer().listen(port, host);
    const [error] = (await once(server, 'error')) as [Error];
    return explainListenError({ name: 'STUDIO_PORT', host, port }, error);
  };
  assert.match(
    await refusalOf('127.0.0.1'),
    /^Port \d+ on 127\.0\.0\.1 is in use: .* set STUDIO_PORT to another/,
  );
  assert.match(
    await refusalOf('203.0.113.7'),
    /^HOST is "203\.0\.113\.7", which is no address of this machine/,
  );
  taken.close();
});
