/** Returns heads that no server should accept, keyed by what is wrong. `path` must be a path with a GET route. */
export function malformedHeads(path: string): Record<string, string> {
  return { ...malformedHosts(path), ...malformedFraming(path), ...malformedLines(path) };
}

function malformedHosts(path: string): Record<string, string> {
  const get = `GET ${path} HTTP/1.1\r\n`;
  const host = (value: string) => `${get}Host: ${value}\r\n\r\n`;
  return {
    'two Hosts': `${get}Host: a\r\nHost: a\r\n\r\n`,
    'two Hosts in two spellings': `${get}Host: a\r\nhOST: b\r\n\r\n`,
    'two Hosts in HTTP/1.0': `GET ${path} HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n`,
    'no Host': `${get}\r\n`,
    'an empty Host': host(''),
    'a Host with a space': host('a b'),
    'a Host with user information': host('me@a'),
    'a Host with a path': host('a/b'),
    'a Host with a query': host('a?b'),
    'a Host that is an address of HTTP': host('http://a'),
    'a Host with a port too large': host('a:65536'),
    'a Host with a port that is none': host('a:b'),
    'a Host with a port of zero': host('a:0'),
    'a Host with two ports': host('a:1:2'),
    'a Host that is a list': host('a, b'),
    'a Host with a comma': host('a,b'),
    'a Host with a percent sign': host('%61'),
    'a Host of bytes that are no ASCII': host('\u00e9'),
    'a Host with quotes': host('"a"'),
    'a Host with a tag': host('<a>'),
    'a Host with a backslash': host('a\\b'),
    'a Host with empty labels': host('a..b'),
    'a Host in half a bracket': host('[::1'),
    'a Host in brackets that is no address': host('[a]'),
    'a Host of IPv6 without brackets': host('::1'),
    'a Host of IPv6 with a zone': host('[fe80::1%25eth0]'),
    'a Host too long': host('a'.repeat(256)),
    'a Host that is folded': `${get}Host: a\r\n b\r\n\r\n`,
  };
}

function malformedFraming(path: string): Record<string, string> {
  const get = `GET ${path} HTTP/1.1\r\n`;
  const post = `POST ${path} HTTP/1.1\r\nHost: a\r\n`;
  return {
    'a Content-Length twice': `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    'a Content-Length of two': `${post}Content-Length: 2, 2\r\n\r\n{}`,
    'a Content-Length with a sign': `${post}Content-Length: +2\r\n\r\n{}`,
    'a Content-Length below zero': `${post}Content-Length: -2\r\n\r\n{}`,
    'a Content-Length in hexadecimal': `${post}Content-Length: 0x2\r\n\r\n{}`,
    'an empty Content-Length': `${post}Content-Length:\r\n\r\n{}`,
    'a Content-Length beside chunks': `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'chunks beside a Content-Length': `${post}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`,
    'gzip, chunked': `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    'gzip and chunked': `${post}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'identity, chunked': `${post}Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n`,
    identity: `${post}Transfer-Encoding: identity\r\n\r\n`,
    xchunked: `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    'chunked with a parameter': `${post}Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n`,
    'chunked twice': `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'chunked, chunked': `${post}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
    'chunked, identity': `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    'an empty Transfer-Encoding': `${post}Transfer-Encoding:\r\n\r\n`,
    'a Transfer-Encoding of a GET': `${get}Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    'chunks in HTTP/1.0': `POST ${path} HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  };
}

function malformedLines(path: string): Record<string, string> {
  const get = `GET ${path} HTTP/1.1\r\n`;
  return {
    'a header that is folded': `${get}Host: a\r\nX-A: b\r\n c\r\n\r\n`,
    'a space before a colon': `${get}Host: a\r\nX-A : b\r\n\r\n`,
    'a header without a name': `${get}Host: a\r\n: b\r\n\r\n`,
    'a header without a colon': `${get}Host: a\r\nX-A\r\n\r\n`,
    'a header with U+0000': `${get}Host: a\r\nX-A: b\0\r\n\r\n`,
    'a header with a bare carriage return': `${get}Host: a\r\nX-A: b\rc\r\n\r\n`,
    'lines that end without a carriage return': `GET ${path} HTTP/1.1\nHost: a\n\n`,
    'a header too large': `${get}Host: a\r\nX-A: ${'b'.repeat(17_000)}\r\n\r\n`,
    'too many headers': `${get}Host: a\r\n${'X-A: b\r\n'.repeat(120)}\r\n`,
    'a target too long': `GET ${path}?${'a'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    'HTTP/0.9': `GET ${path}\r\n\r\n`,
    'HTTP/0.9 by name': `GET ${path} HTTP/0.9\r\nHost: a\r\n\r\n`,
    'HTTP/1.2': `GET ${path} HTTP/1.2\r\nHost: a\r\n\r\n`,
    'HTTP/2.0': `GET ${path} HTTP/2.0\r\nHost: a\r\n\r\n`,
    'HTTP/2 without asking': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'HTTP in small letters': `GET ${path} http/1.1\r\nHost: a\r\n\r\n`,
    'no HTTP': 'hello\r\n\r\n',
    TLS: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'a method in small letters': `get ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    'a method that is none': `FETCH ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    CONNECT: 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET of the server': 'GET * HTTP/1.1\r\nHost: a\r\n\r\n',
    'a target of another scheme': 'GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n',
    'a target with user information': `GET http://me@a${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    'a target without a host': `GET http://${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    'a target without a slash': 'GET a HTTP/1.1\r\nHost: a\r\n\r\n',
    'a target of bytes that are no ASCII': `GET ${path}\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n`,
  };
}

/** Returns paths with broken percent-encoding, below a prefix such as `/v1`. */
export function malformedPaths(prefix: string): string[] {
  return ['%', '%z', '%zz', '%ff', 'a%C0%80', 'a/%ED%A0%80', '%2', 'a%/b', '%e2%82'].map(
    (path) => `${prefix}/${path}`,
  );
}
