/** What an error of a connection, or of the parser of answers, says of the studio: its kind and a sentence for the log. */
export function readTransportError(error: Error): ['unavailable' | 'nonsense', string] {
  const codes = codesOf(error);
  return error.name === 'HTTPParserError' ||
    codes.some((code) => code === 'UND_ERR_HEADERS_OVERFLOW' || code.startsWith('HPE_'))
    ? ['nonsense', 'the answer is no HTTP']
    : ['unavailable', `the studio is out of reach (${codes.join(', ') || error.name})`];
}

/** The codes of an error and of what it gathers: one per address tried. */
export function codesOf(error: unknown): string[] {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  return [...(typeof code === 'string' ? [code] : []), ...(errors ?? []).flatMap(codesOf)];
}
