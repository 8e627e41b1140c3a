import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';

// The path is stored in a cookie. Five such cookies must fit in the headers of a request, in addition to everything
// else.
const maxCharacters = 1_000;
const { home } = consoleAddresses;
/**
 * Paths below /console that are not its pages. A browser sent there would not see the console, or would start to sign
 * in again.
 */
const noPage = /^\/console\/(?:api|auth|sign-in|sign-in-failed|signed-out)(?:\/|$)/;

/**
 * Returns where in the console a browser goes after signing in. Anything that is not clearly the path of a console page
 * becomes the first page: a link to our sign-in must not lead elsewhere.
 */
export function returnTo(asked: string | undefined): string {
  if (asked === undefined) return home;
  // Printable ASCII, as a browser itself would write it. Some programs read a backslash as a slash.
  if (!/^\/console(?:[/?#][\x21-\x5b\x5d-\x7e]*)?$/.test(asked)) return home;
  const base = 'http://console.invalid';
  const url = URL.parse(asked, base);
  if (url === null || url.origin !== base) return home;
  const { pathname } = url;
  const isBelow = pathname === home || pathname.startsWith(`${home}/`);
  // A later program may decode an encoded slash, dot or backslash.
  if (!isBelow || pathname.includes('//') || /%(?:2e|2f|5c|25|0|1)/i.test(pathname) || noPage.test(pathname))
    return home;
  // `URL` has percent-encoded some characters, so the text may be longer now.
  const page = pathname + url.search + url.hash;
  return page.length > maxCharacters ? home : page;
}
