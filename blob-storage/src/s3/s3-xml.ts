/**
 * Reads the answers of S3 without an XML parser. They are flat lists of elements without attributes. With
 * `encoding-type=url`, keys contain nothing that XML would escape.
 */

/** Returns the text of the first element with this name. */
export function readTag(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text === undefined ? undefined : unescaped(text);
}

/** Returns the inner text of every element with this name. These elements are never nested. */
export function readElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner = '']) => inner);
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#34': '"',
  '#39': "'",
};

function unescaped(text: string): string {
  return text.replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole);
}
