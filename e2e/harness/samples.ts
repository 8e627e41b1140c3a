import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { demoEmail } from '@renderkit/contract/v1/sandbox.ts';
import { type Platform, type PlatformAccount, startPlatform } from '@renderkit/stack/testing/platform.ts';
import { openShell, type Shell } from './shell.ts';

/** The folder of the sources. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A platform in the state after the first start, and shells to paste samples into. */
export type Samples = AsyncDisposable & {
  /** The directory in which shells begin. `npm run operator` works there as in the folder of an installation. */
  directory: string;
  shell: () => Shell;
  /** Returns a document of the running service. */
  textOf: (at: string) => Promise<string>;
  /** Returns the sample that defines the variables of the others, with the values that a reader would fill in. */
  filledIn: (sample: string) => string;
};

export async function openSamples(): Promise<Samples> {
  const platform: Platform = await startPlatform({ smallPictures: true });
  const who: PlatformAccount = await platform.createAccount({ tier: 'plus', credits: 1_000 });
  const key = await platform.createKey(who);
  const url = platform.serviceUrls[0] ?? '';
  const directory = path.join(platform.directory, 'pasted');
  await mkdir(directory);
  const operator = `"${process.execPath}" "${programFile(path.join(root, 'stack/src/operator/main.ts'))}"`;
  await writeFile(path.join(directory, 'package.json'), JSON.stringify({ scripts: { operator } }));
  return {
    directory,
    shell: () => openShell(directory, platform.environment),
    textOf: async (at) => (await fetch(url + at)).text(),
    filledIn: (sample) => {
      const filled = sample
        .replace('http://127.0.0.1:8787', url)
        .replace('rk_live_...', key)
        .replace(demoEmail, who.email);
      assert.ok(filled.includes(url) && filled.includes(key), sample);
      return filled;
    },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

/** Returns code as a reader of a page copies it. */
export function codeOf(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, number: string) => String.fromCharCode(Number(number)));
}

export function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

/** Returns why samples that need these programs are skipped; false when all are installed. */
export function lacks(...programs: string[]): string | false {
  const missing = programs.find((program) => !has(program));
  return missing !== undefined && `there is no ${missing} here`;
}
