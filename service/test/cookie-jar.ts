/** Stores the cookies of one host as a browser does: a Set-Cookie line replaces the cookie with the same name. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();
  /** Every Set-Cookie line that was stored. */
  readonly lines: string[] = [];

  take(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      this.lines.push(line);
      const [pair = '', ...attributes] = line.split('; ');
      const at = pair.indexOf('=');
      if (attributes.some((one) => one.toLowerCase() === 'max-age=0'))
        this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  names(): string[] {
    return [...this.#cookies.keys()];
  }

  get(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  set(name: string, value: string): void {
    this.#cookies.set(name, value);
  }
}
