import type { Cidr } from './public-address.ts';
import { validateUrl } from './validate-url.ts';

/** The maximum number of cached URLs. */
const MAX_KNOWN_URLS = 1_000;
/**
 * The maximum length of a cached URL's text. Its parsed form may be nine times as long, when each character is
 * percent-encoded.
 */
const MAX_KNOWN_CHARACTERS = 512;

/**
 * Caches URLs whose form was validated, by their text. `validate-url.ts` decides which URLs are valid. Where
 * connections are kept, the same URLs are requested repeatedly.
 */
export class ValidUrls {
  readonly #allow: readonly Cidr[];
  readonly #known = new Map<string, URL>();

  constructor(allow: readonly Cidr[]) {
    this.#allow = allow;
  }

  /** Returns the parsed URL, which the caller must not change. Throws EgressRefusal `blocked`. */
  read(raw: string): URL {
    let url = this.#known.get(raw);
    if (url === undefined) {
      url = validateUrl(raw, { allow: this.#allow });
      if (raw.length > MAX_KNOWN_CHARACTERS) return url;
      if (this.#known.size >= MAX_KNOWN_URLS) this.#known.clear();
      this.#known.set(raw, url);
    }
    return url;
  }
}
