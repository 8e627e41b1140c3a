import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Session } from './session.ts';

/**
 * Opens a file or a web address with the desktop's program for it. If there is no desktop, prints a note. An address
 * may come from a service, so only http and https are opened, and no shell reads the text.
 */
export function openInDesktop({ output, environment }: Session, place: string): void {
  const [program, ...words] = openerOf(environment.browser, plainPlace(place));
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  child.on('error', () => output.note(`Nothing here opens ${place}.`));
  child.unref();
}

/** Returns the program that opens the address. BROWSER overrides the system's program, as in other programs. */
function openerOf(browser: string | undefined, place: string): [string, ...string[]] {
  if (browser !== undefined) return [browser, place];
  if (process.platform === 'darwin') return ['open', place];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', place];
  return ['xdg-open', place];
}

/**
 * Returns an http(s) address in its normal form. Anything else is the path of a file, made absolute so that no program
 * reads it as an option.
 */
function plainPlace(place: string): string {
  return /^https?:\/\//i.test(place) ? new URL(place).href : path.resolve(place);
}
