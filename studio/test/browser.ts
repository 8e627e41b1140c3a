/** A browser without scripts: keeps cookies as browsers do, follows links and redirects, fills in forms. */
export type Browser = {
  /** Opens an address and follows its redirects while they stay at the studio. */
  open: (address: string, init?: RequestInit) => Promise<Shown>;
  /** Fills in the form that has a button with this label, and presses the button. */
  press: (button: string, fields?: Record<string, string>) => Promise<Shown>;
  /** Follows a link by its text. */
  follow: (text: string) => Promise<Shown>;
  cookies: CookieJar;
};

export type Shown = {
  status: number;
  address: URL;
  text: string;
  headers: Headers;
  /** Where the browser was redirected outside of the studio, if it was. */
  left: URL | undefined;
  redirects: number;
};

const maxRedirects = 10;

/** Creates a browser. Every request has `ownHeaders`. */
export function createBrowser(origin: string, ownHeaders: Record<string, string> = {}): Browser {
  const cookies = new CookieJar();
  let shown: Shown | undefined;

  const request = async (address: URL, init: RequestInit): Promise<Response> => {
    const headers = new Headers({ accept: 'text/html,*/*;q=0.8', ...ownHeaders });
    new Headers(init.headers).forEach((value, name) => headers.set(name, value));
    headers.set('cookie', cookies.sentTo(address));
    const response = await fetch(address, { ...init, redirect: 'manual', headers });
    cookies.take(response.headers.getSetCookie(), address);
    return response;
  };
  const open: Browser['open'] = async (address, init = {}) => {
    let at = new URL(address, shown?.address ?? origin);
    let response = await request(at, init);
    for (let redirects = 0; ; redirects++) {
      const location = response.headers.get('location');
      const next = location === null ? undefined : new URL(location, at);
      const left = next?.origin === origin ? undefined : next;
      if (next === undefined || left !== undefined) {
        const { status, headers } = response;
        shown = { status, address: at, text: await response.text(), headers, left, redirects };
        return shown;
      }
      if (redirects === maxRedirects) throw new Error('too many redirects');
      await response.body?.cancel();
      at = next;
      response = await request(at, {});
    }
  };
  const page = () => shown?.text ?? '';

  return {
    cookies,
    open,
    follow: async (text) => {
      const links = [...page().matchAll(/<a\s[^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>/g)];
      const link = links.find(([, , label]) => unescaped(label?.trim() ?? '') === text);
      if (link === undefined) throw new Error(`no link ${text} in ${page()}`);
      return open(unescaped(link[1] ?? ''));
    },
    press: async (button, fields = {}) => {
      const { action, values } = fillIn(page(), button, fields);
      return open(action, {
        method: 'POST',
        body: values,
        headers: { 'sec-fetch-site': 'same-origin', origin },
      });
    },
  };
}

/** Returns what a press of the button sends, and where. */
function fillIn(
  page: string,
  button: string,
  fields: Record<string, string>,
): { action: string; values: URLSearchParams } {
  const of = (tag: string, attribute: string) => new RegExp(`\\s${attribute}="([^"]*)"`).exec(tag)?.[1];
  for (const [, tag = '', inside = ''] of page.matchAll(/<form(\s[^>]*)>(.*?)<\/form>/gs)) {
    const buttons = [...inside.matchAll(/<button([^>]*)>([^<]*)<\/button>/g)];
    const pressed = buttons.find(([, , label]) => unescaped(label?.trim() ?? '') === button)?.[1];
    if (pressed === undefined) continue;
    const values = new URLSearchParams();
    for (const [, input = ''] of inside.matchAll(/<input(\s[^>]*)>/g)) {
      const name = of(input, 'name') ?? '';
      values.set(name, fields[name] ?? unescaped(of(input, 'value') ?? ''));
    }
    const name = of(pressed, 'name');
    if (name !== undefined) values.set(name, of(pressed, 'value') ?? '');
    return { action: unescaped(of(tag, 'action') ?? ''), values };
  }
  throw new Error(`no form with the button ${button} in ${page}`);
}

export type Cookie = { value: string; path: string; attributes: string[] };

/** Cookies of one host, by name. */
export class CookieJar {
  readonly all = new Map<string, Cookie>();

  take(lines: string[], address: URL): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const at = pair.indexOf('=');
      const of = (name: string) =>
        attributes.find((text) => text.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
      const expires = of('expires');
      if (expires !== undefined && Date.parse(expires) < Date.now()) this.all.delete(pair.slice(0, at));
      else
        this.all.set(pair.slice(0, at), {
          value: pair.slice(at + 1),
          path: of('path') ?? address.pathname,
          attributes,
        });
    }
  }

  sentTo({ pathname }: URL): string {
    return [...this.all]
      .filter(([, { path }]) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }
}

function unescaped(text: string): string {
  return text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&amp;', '&');
}
