import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Session } from './session.ts';

/**
 * Hands a file or an address of the web to the program that the desktop has for it. Where there is no desktop, that is said. An
 * address may come from a service: no other scheme is opened, and nothing of it is read by a shell.
 */
export function openInDesktop({ output, environment }: Session, place: string): void {
  const [program, ...words] = openerOf(environment.browser, plainPlace(place));
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  child.on('error', () => output.note(`Nothing here opens ${place}.`));
  child.unref();
}

/** BROWSER goes before what the system has, as for other programs. */
function openerOf(browser: string | undefined, place: string): [string, ...string[]] {
  if (browser !== undefined) return [browser, place];
  if (process.platform === 'darwin') return ['open', place];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', place];
  return ['xdg-open', place];
}

/** An address in its plain form; all else is the path of a file, which no option of a program looks like. */
function plainPlace(place: string): string {
  return /^https?:\/\//i.test(place) ? new URL(place).href : path.resolve(place);
}
