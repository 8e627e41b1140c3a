/** A piece of a text binding: a literal text, or a source. */
type Piece = { literal: string } | { source: string };

/**
 * Fills a text binding, such as `{prompt}, {styles}`; `{{` and `}}` are literal braces. An empty source also removes
 * the comma before it, or the comma after it if nothing precedes it.
 */
export function fillText(template: string, textOfSource: (source: string) => string): string {
  let text = '';
  let dropsComma = false;
  for (const piece of parseText(template)) {
    if ('literal' in piece) {
      text += dropsComma && text === '' ? piece.literal.replace(/^\s*,\s*/, '') : piece.literal;
      dropsComma = false;
      continue;
    }
    const found = textOfSource(piece.source);
    if (found !== '') text += found;
    else if (/,\s*$/.test(text)) text = text.replace(/\s*,\s*$/, '');
    else dropsComma = true;
  }
  return text;
}

/** Returns the sources that a text binding names, with repetitions. */
export function sourcesOfText(template: string): string[] {
  return parseText(template).flatMap((piece) => ('source' in piece ? [piece.source] : []));
}

function parseText(template: string): Piece[] {
  const pieces: Piece[] = [];
  let literal = '';
  for (const [part] of template.matchAll(/\{\{|\}\}|\{[^{}]*\}|[^{}]+|[{}]/g)) {
    if (part.length > 2 && part.startsWith('{')) {
      if (literal !== '') pieces.push({ literal });
      literal = '';
      pieces.push({ source: part.slice(1, -1).trim() });
    } else literal += part === '{{' ? '{' : part === '}}' ? '}' : part;
  }
  if (literal !== '') pieces.push({ literal });
  return pieces;
}
