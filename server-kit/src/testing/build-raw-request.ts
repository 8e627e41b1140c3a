type Random = () => number;

const methods = [
  'GET',
  'GET',
  'GET',
  'POST',
  'HEAD',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'QUERY',
  'PROPFIND',
  'SEARCH',
  'GE T',
  'get',
  '',
];
const versions = [...Array.from({ length: 5 }, () => 'HTTP/1.1'), 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9'];
const beginnings = [...Array.from({ length: 5 }, () => ''), 'http://a', 'HTTPS://a:1', 'http://a@b', 'x:'];
const oddParts = [
  '%00',
  '%zz',
  '%ff',
  '%2f..%2f',
  '//',
  '/./',
  '/../',
  ';',
  '#a',
  '\\',
  '%F0%9F%98%80',
  'x'.repeat(300),
  '%',
  '?',
  '__proto__',
  '*',
  ':id',
  '%0d%0a',
  '%25zz',
];
const queries = [
  '',
  '',
  '?',
  '?a=%zz',
  '?page=1&page=2',
  '?%ff=1',
  '?limit=%00',
  '?__proto__=1',
  '?wait=0',
  '?=',
  '?&&&',
  '?limit=1&limit',
  '?a=b=c',
  '?search=%ED%A0%80',
  '?download=%',
];
const hosts = [
  ...Array.from({ length: 6 }, () => 'Host: a'),
  'Host: 127.0.0.1:1',
  'Host: [::1]',
  'Host:',
  'Host: a b',
  'host: a\r\nHost: b',
  'X: y',
];
const mediaTypes = [
  'application/json',
  'application/json;charset=utf-8',
  'application/json; charset=latin1',
  ';',
  'multipart/form-data; boundary=b',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
];
/** How often a header is present, its name, and its possible values. */
const headers: [chance: number, name: string, values: readonly string[]][] = [
  [0.5, 'Content-Type', mediaTypes],
  [0.05, 'Authorization', ['', 'Bearer', 'Basic !', 'Bearer  x', 'Digest a="']],
  [0.05, 'Content-Encoding', ['gzip', 'identity', 'x']],
  [0.05, 'Expect', ['100-continue', 'x', '100-continue, x']],
  [0.05, 'Range', ['bytes=0-', 'bytes=-', 'bytes=5-1', 'bytes=0-0,2-3', 'x', 'bytes=-1']],
  [0.05, 'If-None-Match', ['*', '"', 'x', '""']],
  [0.05, 'Cookie', ['a', '=', 'a=%zz', '__Host-rk_session_443=x', 'a=b;'.repeat(200)]],
  [0.05, 'Upgrade', ['websocket', 'h2c']],
  [0.05, 'X-Forwarded-For', ['1.2.3.4', 'x', '']],
  [0.05, 'Idempotency-Key', ['', 'a', 'x'.repeat(300), 'a\tb']],
  [0.04, 'X-A', ['\0', '\x7f', 'é', '\r\n folded', '\rb']],
];
const bodies = [
  '',
  '',
  '{}',
  '{"prompt":"x"}',
  '{',
  '\0',
  '{"a":1,"a":1}',
  '[]',
  '"',
  'a=b&c=%zz',
  '--b\r\n\r\n--b--',
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n',
  `{"prompt":"${'x'.repeat(5_000)}"}`,
];

/**
 * Builds a random request as a badly written program might send it; about half of them are not quite HTTP. `paths` may
 * contain parameters, as `{id}` or `:id`.
 */
export function buildRawRequest(random: Random, paths: readonly string[], authorization: string): string {
  const lines = headers.flatMap(([chance, name, values]) =>
    random() < chance ? [`${name}: ${pick(random, values)}`] : [],
  );
  if (random() < 0.7) lines.push(`Authorization: ${authorization}`);
  const [framing, body] = framed(random, pick(random, bodies));
  const head = [
    `${pick(random, methods)} ${target(random, paths)} ${pick(random, versions)}`,
    pick(random, hosts),
    ...lines,
    ...framing,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function target(random: Random, paths: readonly string[]): string {
  const path = pick(random, paths).replaceAll(/\{\w+\}|:\w+/g, () =>
    pick(random, ['x', 'prj_1', ...oddParts]),
  );
  const end = random() < 0.2 ? pick(random, oddParts) : '';
  return pick(random, beginnings) + path + end + pick(random, queries);
}

/** Returns the headers for the length of a body, correct or wrong, and the body. */
function framed(random: Random, body: string): [headers: string[], body: string] {
  const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`;
  const right: [string[], string] = [[`Content-Length: ${body.length}`], body];
  return pick<[string[], string]>(random, [
    [[], ''],
    right,
    right,
    right,
    [['Transfer-Encoding: chunked'], `${chunk}0\r\n\r\n`],
    [['Transfer-Encoding: chunked'], `zz\r\n${body}`],
    [[`Transfer-Encoding: ${pick(random, ['gzip, chunked', 'identity', 'chunked, chunked'])}`], '0\r\n\r\n'],
    [[`Content-Length: ${pick(random, ['-1', 'x', '1, 1', ''])}`], body],
  ]);
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}
