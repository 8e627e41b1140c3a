import type { Cidr } from './public-address.ts';
import { validateUrl } from './validate-url.ts';

/** URLs that are remembered as valid. */
const MAX_KNOWN_URLS = 1_000;
/** Of the text of one that is remembered; its parsed form may have nine times as many, where each is percent-encoded. */
const MAX_KNOWN_CHARACTERS = 512;

/** URLs whose form was validated, by their text: where connections are kept, the same ones are asked for again and again. */
export class ValidUrls {
  readonly #allow: readonly Cidr[];
  readonly #known = new Map<string, URL>();

  constructor(allow: readonly Cidr[]) {
    this.#allow = allow;
  }

  /** Not to be changed. Throws EgressRefusal `blocked`. */
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
