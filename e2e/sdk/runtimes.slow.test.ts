import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import type { Platform } from '@renderkit/stack/testing/platform.ts';
import { sharedPlatform } from '@renderkit/stack/testing/shared-platform.ts';
import { rolldown } from 'rolldown';
import { noBrowser, openBrowser } from '../harness/browser.ts';
import { type PackedProject, packClient } from './pack.ts';

const run = promisify(execFile);
const limitMs = 10 * 60_000;

/** Finds a program: at the path in the variable, or by its name in PATH. */
function programOf(name: string, variable: string): { program: string; skip: string | false } {
  const program = process.env[variable] ?? name;
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return { program, skip: false };
  } catch {
    return { program, skip: `there is no ${name} here: put it on PATH, or its file into ${variable}` };
  }
}

const deno = programOf('deno', 'DENO_PATH');
const bun = programOf('bun', 'BUN_PATH');
const workerd = programOf('workerd', 'WORKERD_PATH');
const oldNode = programOf('node22', 'NODE_22_PATH');

describe('the packed client, on each runtime that it is written for', () => {
  let platform: Platform;
  let packed: PackedProject;
  let example: string;
  before(async () => {
    platform = await sharedPlatform();
    packed = await packClient();
    const readme = await readFile(path.join(packed.installed, 'README.md'), 'utf8');
    [example = ''] = /(?<=```ts\n).*?(?=```)/s.exec(readme) ?? [];
    const project = { type: 'module', dependencies: { renderkit: '0.1.0' } };
    await writeFile(path.join(packed.folder, 'package.json'), JSON.stringify(project));
    await writeFile(path.join(packed.folder, 'readme.ts'), example);
    await writeFile(path.join(packed.folder, 'readme.mjs'), example);
  });
  after(() => packed[Symbol.asyncDispose]());

  async function variables(): Promise<{ RENDERKIT_BASE_URL: string; RENDERKIT_API_KEY: string }> {
    const account = await platform.createAccount({ tier: 'pro', credits: 500 });
    return {
      RENDERKIT_BASE_URL: platform.serviceUrls[0] ?? '',
      RENDERKIT_API_KEY: await platform.createKey(account),
    };
  }

  async function runsAs(program: string, words: readonly string[]): Promise<void> {
    const saved = ['lighthouse.jpg', 'clouds.mp4'].map((name) => path.join(packed.folder, name));
    for (const file of saved) await rm(file, { force: true });
    const own = { ...(await variables()), DENO_DIR: path.join(packed.folder, 'deno') };
    const { stdout } = await run(program, words, {
      cwd: packed.folder,
      timeout: limitMs,
      env: { ...inheritedEnvironment(), ...own },
    });
    said(stdout);
    for (const file of saved) assert.ok((await stat(file)).size > 1_000, file);
  }

  function said(output: string): void {
    assert.match(output, /\d+(\.\d+)? credits estimated, \d+(\.\d+)? charged, \d+ pictures/);
    assert.match(output, /gen_\S+ succeeded/);
    // The last line contains the balance, the request's id and the rate.
    assert.match(output, /\d+ req_\w+ \d+/);
  }

  test('its README does what it says', () => runsAs(process.execPath, ['--no-warnings', 'readme.ts']));

  test('its README does so in Deno', { skip: deno.skip }, () =>
    runsAs(deno.program, ['run', '--allow-all', '--node-modules-dir=manual', '--no-check', 'readme.ts']),
  );

  test('its README does so in Bun', { skip: bun.skip }, () => runsAs(bun.program, ['run', 'readme.ts']));

  test('its README does so in Node 22', { skip: oldNode.skip }, () =>
    runsAs(oldNode.program, ['readme.mjs']),
  );

  test('its README does so in Workers', { skip: workerd.skip }, async () => {
    const code = await bundled(packed, workerOf(example));
    await writeFile(path.join(packed.folder, 'worker.js'), code);
    await writeFile(path.join(packed.folder, 'workerd.capnp'), workerdSettings(await variables()));
    const child = spawn(workerd.program, ['serve', '--control-fd=3', 'workerd.capnp'], {
      cwd: packed.folder,
      env: inheritedEnvironment(),
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    try {
      const [listening] = (await once(child.stdio[3] ?? child, 'data')) as [Buffer];
      const { port } = JSON.parse(String(listening).split('\n')[0] ?? '') as { port: number };
      said(await getText(`http://127.0.0.1:${port}/`));
    } finally {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    }
  });

  test('its README does so in Chromium', { skip: noBrowser }, async () => {
    const { RENDERKIT_BASE_URL: baseUrl, RENDERKIT_API_KEY: apiKey } = await variables();
    const code = await bundled(packed, pageOf(example, apiKey));
    // A page may call only the host that it came from, so other requests are passed on to the service.
    const server = createServer((incoming, outgoing) => {
      if (incoming.url === '/') {
        outgoing.setHeader('content-type', 'text/html').end('<script type="module" src="/page.js"></script>');
        return;
      }
      if (incoming.url === '/page.js') {
        outgoing.setHeader('content-type', 'text/javascript').end(code);
        return;
      }
      const { method, url = '', headers } = incoming;
      const onward = ask(new URL(url, baseUrl), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const output = await page.waitForFunction('globalThis.output', undefined, { timeout: limitMs });
      said((await output.jsonValue()) as string);
    } finally {
      await browser.close();
      server.close();
      server.closeAllConnections();
    }
  });
});

/** Returns the text of an answer that may take as long as a test. */
function getText(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = ask(url, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (data: string) => (text += data));
      answer.on('end', () => resolve(text)).on('error', reject);
    });
    request.setTimeout(limitMs, () => request.destroy(new Error('no answer'))).on('error', reject);
    request.end();
  });
}

/**
 * Puts the example into a function, for a runtime that has no files. Saved files stay in memory and are read again from
 * there. The function returns all output.
 */
function withoutFiles(example: string): string {
  const rest = example.replaceAll(/^import .*$/gm, '').replace('new Renderkit()', 'new Renderkit(options)');
  return `
import Renderkit, { RenderkitError } from 'renderkit';
const files = new Map();
async function save(source, name) {
  const response = 'fetch' in source ? await source.fetch() : await fetch(source.url);
  if (!response.ok) throw new Error(response.url + ' answered ' + response.status);
  files.set(name, new File([await response.blob()], name));
}
const fromPath = async (name) => files.get(name);
async function example(options) {
  const lines = [];
  const console = { log: (...words) => lines.push(words.join(' ')), table: (rows) => lines.push(JSON.stringify(rows)) };
  ${rest}
  for (const name of ['lighthouse.jpg', 'clouds.mp4'])
    if (!(files.get(name)?.size > 1000)) throw new Error(name + ' was not saved');
  return lines.join('\\n');
}
`;
}

const workerOf = (example: string) => `${withoutFiles(example)}
const worker = {
  async fetch(_request, env) {
    try {
      const options = { baseUrl: env.RENDERKIT_BASE_URL, apiKey: env.RENDERKIT_API_KEY };
      return new Response(await example(options));
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  },
};
export { worker as default };`;

const pageOf = (example: string, apiKey: string) => `${withoutFiles(example)}
const options = { baseUrl: location.origin, apiKey: ${JSON.stringify(apiKey)}, dangerouslyAllowBrowser: true };
globalThis.output = await example(options).catch((error) => String(error?.stack ?? error));`;

/** Returns a program that includes the packed client, as a bundler for such a runtime makes it. */
async function bundled(packed: PackedProject, text: string): Promise<string> {
  const input = path.join(packed.folder, 'bundled.mjs');
  await writeFile(input, text);
  await using bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'es' });
  return output[0].code;
}

function workerdSettings(environment: Record<string, string>): string {
  const bindings = Object.entries(environment).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
  bindings = [${bindings.join(', ')}],
);
`;
}
