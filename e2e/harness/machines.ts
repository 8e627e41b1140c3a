import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** For a test's `skip`. */
export const unlessMachines: string | false =
  (process.getuid?.() !== 0 || !['/usr/sbin/ip', '/sbin/ip'].some((place) => existsSync(place))) &&
  'network namespaces take root and the program ip';

/** A network namespace with its own home directory. The other machines reach it as `NAME.internal`. */
export type Machine = {
  name: string;
  address: string;
  home: string;
  /** The words before a command that run it on this machine. */
  enter: readonly string[];
};

/** Machines on one network, without a connection to anything else. */
export type Machines<Name extends string> = AsyncDisposable & { all: Record<Name, Machine> };

const ip = (...line: string[]) => execFileSync('ip', line, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Connects machines. @throws when the kernel has no namespaces, bridges or pairs of interfaces */
export async function connectMachines<const Name extends string>(
  names: readonly Name[],
): Promise<Machines<Name>> {
  await using made = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-machines-'));
  made.defer(() => rm(folder, { recursive: true, force: true }));
  const cable = addNamespace(made, 'cable');
  ip('-n', cable, 'link', 'add', 'bridge', 'type', 'bridge');
  ip('-n', cable, 'link', 'set', 'bridge', 'up');
  const machines = names.map((name, index) => ({ name, address: `10.213.0.${index + 1}` }));
  const hosts = machines.map(({ name, address }) => `${address} ${name}.internal\n`).join('');
  const all: Partial<Record<Name, Machine>> = {};
  for (const { name, address } of machines) {
    const namespace = addNamespace(made, name);
    ip('-n', cable, 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('-n', cable, 'link', 'set', name, 'master', 'bridge', 'up');
    ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-n', namespace, 'link', 'set', device, 'up');
    // `ip netns exec` mounts this over /etc/hosts.
    const files = path.join('/etc/netns', namespace);
    made.defer(() => rm(files, { recursive: true, force: true }));
    await mkdir(files, { recursive: true });
    await writeFile(path.join(files, 'hosts'), `127.0.0.1 localhost\n${hosts}`);
    const home = path.join(folder, name);
    await mkdir(home);
    all[name] = { name, address, home, enter: ['ip', 'netns', 'exec', namespace] };
  }
  const kept = made.move();
  return {
    all: all as Record<Name, Machine>,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Adds a namespace. It disappears with its interfaces when nothing runs in it any more. */
function addNamespace(made: AsyncDisposableStack, name: string): string {
  const namespace = `renderkit-${process.pid}-${name}`;
  ip('netns', 'add', namespace);
  made.defer(() => {
    ip('netns', 'del', namespace);
  });
  return namespace;
}
