import { spawn } from 'node:child_process';
import type { Session } from './session.ts';

/** Hands a file or an address to the program that the desktop has for it. Where there is no desktop, that is said. */
export function openInDesktop({ output, environment }: Session, place: string): void {
  const [program, ...words] = openerOf(environment.browser, place);
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  child.on('error', () => output.note(`Nothing here opens ${place}.`));
  child.unref();
}

/** BROWSER goes before what the system has, as for other programs. */
function openerOf(browser: string | undefined, place: string): [string, ...string[]] {
  if (browser !== undefined) return [browser, place];
  if (process.platform === 'darwin') return ['open', place];
  // The first word in quotes would be the title of a window.
  if (process.platform === 'win32') return ['cmd', '/c', 'start', '', place.replaceAll('&', '^&')];
  return ['xdg-open', place];
}
