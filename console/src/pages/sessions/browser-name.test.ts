import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName } from './browser-name.ts';

test('a browser is named by what it says, however many others it claims to be', () => {
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
  assert.equal(browserName(`Mozilla/5.0 (X11; Linux x86_64) ${chrome}`), 'Chrome on Linux');
  assert.equal(
    browserName(`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/141.0`),
    'Edge on Windows',
  );
  assert.equal(
    browserName('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/1 Safari/604.1'),
    'Safari on iPhone',
  );
});

test('what says nothing known is shown as it came, in part', () => {
  assert.equal(browserName(null), 'Unknown browser');
  assert.equal(browserName('curl/8.1'), 'curl/8.1');
  assert.equal(browserName('x'.repeat(200)).length, 60);
});
