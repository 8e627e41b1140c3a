import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';

// It lies in a cookie, and five of these must fit in the headers of a request, beside all else.
const maxCharacters = 1_000;
const { home } = consoleAddresses;
/** Below the console, and no page: a browser that was sent there would see no console, or begin all over. */
const noPage = /^\/console\/(?:api|auth|sign-in|sign-in-failed|signed-out)(?:\/|$)/;

/**
 * Where in the console a browser goes back to after signing in. Whatever is not plainly the path of one of its pages
 * becomes the first page: nobody is to be led elsewhere by a link to our sign-in.
 */
export function returnTo(asked: string | undefined): string {
  if (asked === undefined) return home;
  // Printable ASCII: what a browser itself would write. Some read a backslash as a slash.
  if (!/^\/console(?:[/?#][\x21-\x5b\x5d-\x7e]*)?$/.test(asked)) return home;
  const base = 'http://console.invalid';
  const url = URL.parse(asked, base);
  if (url === null || url.origin !== base) return home;
  const { pathname } = url;
  const isBelow = pathname === home || pathname.startsWith(`${home}/`);
  // A slash, a dot or a backslash that is written as a code may be read as one further on.
  if (!isBelow || pathname.includes('//') || /%(?:2e|2f|5c|25|0|1)/i.test(pathname) || noPage.test(pathname))
    return home;
  // Some characters have become codes.
  const page = pathname + url.search + url.hash;
  return page.length > maxCharacters ? home : page;
}
