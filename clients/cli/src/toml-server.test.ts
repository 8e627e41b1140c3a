import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withTomlServer } from './toml-server.ts';

const server = { url: 'http://new', http_headers: { A: 'b' } };
const ours = '[mcp_servers.renderkit]\nurl = "http://new"\nhttp_headers = { "A" = "b" }\n';

const files: [what: string, before: string, after: string][] = [
  ['an empty file', '', ours],
  ['a file without servers', 'model = "one"\n', `model = "one"\n\n${ours}`],
  ['a head with a quoted key', '[mcp_servers."renderkit"]\nurl = "old"\n', ours],
  ['a head with other quotes and spaces', `[ "mcp_servers" . 'renderkit' ]  # mine\nurl = "old"\n`, ours],
  ['an escape in a quoted key', '[mcp_servers."render\\u006bit"]\nurl = "old"\n', ours],
  [
    'tables below it',
    '[mcp_servers.renderkit]\nurl = "old"\n# inside\na = [\n  1, # one\n  "]",\n]\n[mcp_servers.renderkit.env]\nA = 1\n\n# theirs\n[tui]\na = 1\n',
    `# theirs\n[tui]\na = 1\n\n${ours}`,
  ],
  [
    'an inline table of the group',
    '[mcp_servers]\nother = { command = "x" }\nrenderkit = { url = "old", env = { A = "}" } }\n',
    `[mcp_servers]\nother = { command = "x" }\n\n${ours}`,
  ],
  [
    'dotted keys',
    'mcp_servers.renderkit.url = "old"\nmcp_servers."renderkit".args = ["a"]\nmodel = "one"\n',
    `model = "one"\n\n${ours}`,
  ],
  [
    'servers in an inline table',
    'mcp_servers = { other = { command = \'x\' }, renderkit = { url = "old" } } # all\nmodel = 1\n',
    'mcp_servers = { other = { command = \'x\' }, renderkit = { "url" = "http://new", "http_headers" = { "A" = "b" } } } # all\nmodel = 1\n',
  ],
  [
    'what only looks like ours',
    'text = """\n[mcp_servers.renderkit]\nurl = "kept"\n"""\nother = \'\'\'\n[mcp_servers.renderkit]\n\'\'\'\n[profiles.mcp_servers.renderkit]\nurl = "kept"\n',
    `text = """\n[mcp_servers.renderkit]\nurl = "kept"\n"""\nother = '''\n[mcp_servers.renderkit]\n'''\n[profiles.mcp_servers.renderkit]\nurl = "kept"\n\n${ours}`,
  ],
  [
    'values of every kind',
    'a = 1_000\nb = -1.5e3\nc = 1979-05-27 07:32:00Z\nd = 07:32:00\ne = 0xff\nf = [ { x = 1 }, [true, inf] ]\n[[rows]]\n"k y" = \'a"\'\n[[rows]]\n',
    `a = 1_000\nb = -1.5e3\nc = 1979-05-27 07:32:00Z\nd = 07:32:00\ne = 0xff\nf = [ { x = 1 }, [true, inf] ]\n[[rows]]\n"k y" = 'a"'\n[[rows]]\n\n${ours}`,
  ],
];

for (const [what, before, after] of files)
  test(`our server in settings with ${what}: once, and again the same`, () => {
    assert.equal(withTomlServer(before, server), after);
    assert.equal(withTomlServer(after, server), after);
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    if (before !== '') assert.equal(withTomlServer(crlf(before), server), crlf(after));
  });

const refused: [what: string, text: string, message: RegExp][] = [
  ['a key without a value', 'a = 1\nb =\n', /^line 2: there is no value/],
  ['a text that does not end', 'a = "b\n', /^line 1: a text does not end/],
  ['a head that does not end', '\n\n[mcp_servers\n', /^line 3: \] is missing/],
  ['two statements on a line', 'a = 1 b = 2\n', /^line 1: something follows/],
  ['an inline table over lines', 'a = {\n  b = 1\n}\n', /^line 1: there is no key/],
  ['JSON', '{ "mcp_servers": {} }', /^line 1: there is no key/],
  ['a list of servers', '[[mcp_servers]]\nname = "x"\n', /list of tables/],
  ['servers that are a text', 'mcp_servers = "none"\n', /is no table/],
];

for (const [what, text, message] of refused)
  test(`settings with ${what} are refused`, () => {
    assert.throws(() => withTomlServer(text, server), { name: 'SyntaxError', message });
  });
