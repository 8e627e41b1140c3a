// Runs the samples of the Connect page exactly as they are copied: users of programs in code have no other
// instructions.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import type { Page } from 'playwright-core';
import { type ConsoleWorld, openConsoleWorld, signIn } from '../console/world.ts';
import { noBrowser } from '../harness/browser.ts';
import { openShell } from '../harness/shell.ts';
import { type PackedProject, packClient, root } from '../sdk/pack.ts';

const run = promisify(execFile);

describe('what the Connect page shows', { skip: noBrowser }, () => {
  let world: ConsoleWorld;
  let page: Page;
  /** The project with the packages that the samples import. */
  let project: PackedProject;
  before(async () => {
    world = await openConsoleWorld();
    ({ page } = await world.visitor());
    await signIn(world, page, await world.person(), '/console/connect');
    project = await packClient();
    const modules = path.join(project.folder, 'node_modules');
    await mkdir(path.join(modules, '@ai-sdk'));
    for (const name of ['openai', 'ai', '@ai-sdk/openai-compatible'])
      await symlink(path.join(root, 'node_modules', name), path.join(modules, name));
  });
  after(async () => {
    await project?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  /** Chooses a program, makes a key for it, and copies samples. */
  async function copy(program: string, ...samples: string[]): Promise<string[]> {
    await page.goto(`${world.url}/console/connect`);
    await page.getByRole('combobox', { name: 'Which program?' }).click();
    await page.getByRole('option', { name: program }).click();
    await page.getByRole('button', { name: 'Make a key for it' }).click();
    const settings = page.getByRole('group', { name: `Settings of ${program}`, exact: true });
    await settings.getByText(/rk_live_\w{12}_\w{32}/).waitFor();
    const texts: string[] = [];
    for (const sample of samples) {
      const shownAs = page.getByRole('radiogroup', { name: `Settings of ${program}: shown as` });
      if (await shownAs.isVisible()) await shownAs.getByText(sample, { exact: true }).click();
      texts.push((await settings.textContent()) ?? '');
    }
    return texts;
  }

  /** Runs a program and returns its output: JSON or an address. */
  async function print(code: string, environment = ''): Promise<string> {
    const file = path.join(project.folder, 'program.ts');
    await writeFile(file, code);
    const variables = environment.split('\n').flatMap((line) => {
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    });
    const { stdout } = await run(process.execPath, [file], {
      cwd: project.folder,
      env: { ...inheritedEnvironment(), ...Object.fromEntries(variables) },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim();
  }

  const typeOf = (bytes: Buffer) => bytes.toString('latin1', 1, 4);
  const typeOfPrinted = (printed: string) => {
    const { data } = JSON.parse(printed) as { data: { b64_json: string }[] };
    return typeOf(Buffer.from(data[0]?.b64_json ?? '', 'base64'));
  };

  test("draws by OpenAI's package, with its code and with its variables alone", async () => {
    const [variables = '', code = ''] = await copy(
      'OpenAI for Python and JavaScript',
      'Environment',
      'JavaScript',
    );
    assert.equal(typeOfPrinted(await print(`${code}\nconsole.log(JSON.stringify(image));`)), 'PNG');
    const unchanged = `import OpenAI from 'openai';
      const image = await new OpenAI().images.generate({ model: 'gpt-image-1', prompt: 'a lighthouse' });
      console.log(JSON.stringify(image));`;
    assert.equal(typeOfPrinted(await print(unchanged, variables)), 'PNG');
  });

  test('draws by the AI SDK', async () => {
    const [code = ''] = await copy('AI SDK', 'TypeScript');
    const printed = await print(`${code}\nconsole.log(image.base64);`);
    assert.equal(typeOf(Buffer.from(printed, 'base64')), 'PNG');
  });

  test('draws by the client for TypeScript', async () => {
    const [variables = '', code = ''] = await copy('Renderkit for TypeScript', 'Environment', 'TypeScript');
    const picture = await fetch(await print(code, variables));
    assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
  });

  test('draws by curl', async () => {
    const [command = ''] = await copy('curl and any HTTP client', 'curl');
    await using shell = openShell(project.folder, {});
    const { code, stdout } = await shell.paste(command);
    assert.equal(code, 0);
    assert.equal((JSON.parse(stdout) as { object: string }).object, 'generation');
  });
});
