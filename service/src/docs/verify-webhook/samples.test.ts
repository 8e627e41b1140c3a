import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { signatureHeader } from '../../webhooks/deliveries/sign.ts';
// @ts-expect-error The sample is plain JavaScript, as its readers will copy it.
import { isGenuine } from './verify.mjs';

const secret = 'whsec_dGhpcyBpcyBub3QgYSBzZWNyZXQgYXQgYWxs';
const at = 1_795_253_400;
const body = Buffer.from('{"id":"evt_1","object":"event","type":"ping","data":{"message":"été 🌊\\n"}}');
const signed = signatureHeader([secret], at, body);

type Case = { name: string; body: Buffer; header: string; now: number; genuine: boolean };

const flipped = Buffer.from(body);
flipped.writeUInt8(flipped.readUInt8(10) ^ 1, 10);
const cases: Case[] = [
  { name: 'what we signed', body, header: signed, now: at, genuine: true },
  { name: 'five minutes later', body, header: signed, now: at + 300, genuine: true },
  {
    name: 'two secrets, ours first',
    body,
    header: signatureHeader([secret, 'whsec_b'], at, body),
    now: at,
    genuine: true,
  },
  {
    name: 'two secrets, ours last',
    body,
    header: signatureHeader(['whsec_a', secret], at, body),
    now: at,
    genuine: true,
  },
  { name: 'a flipped bit of the body', body: flipped, header: signed, now: at, genuine: false },
  {
    name: 'a flipped digit of the signature',
    body,
    header: signed.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    now: at,
    genuine: false,
  },
  {
    name: 'another time',
    body,
    header: signed.replace(String(at), String(at + 1)),
    now: at,
    genuine: false,
  },
  { name: 'too old', body, header: signed, now: at + 301, genuine: false },
  { name: 'from the future', body, header: signed, now: at - 301, genuine: false },
  { name: 'another secret', body, header: signatureHeader(['whsec_x'], at, body), now: at, genuine: false },
  { name: 'no signature', body, header: `t=${at}`, now: at, genuine: false },
  { name: 'an empty signature', body, header: `t=${at},v1=`, now: at, genuine: false },
  { name: 'no time', body, header: signed.slice(signed.indexOf('v1=')), now: at, genuine: false },
  { name: 'an empty header', body, header: '', now: at, genuine: false },
];

const sample = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

test('the sample for Node tells what is genuine', () => {
  for (const one of cases)
    assert.equal(isGenuine(one.body, one.header, secret, one.now), one.genuine, one.name);
});

test(
  'the sample for Python tells what is genuine',
  { skip: has('python3', '--version') ? false : 'there is no python3' },
  () => {
    const program = `import json, runpy, sys
is_genuine = runpy.run_path(sys.argv[1])["is_genuine"]
print(json.dumps([is_genuine(bytes.fromhex(c["body"]), c["header"], c["secret"], c["now"]) for c in json.load(sys.stdin)]))`;
    const run = spawnSync('python3', ['-c', program, sample('verify.py')], {
      input: JSON.stringify(cases.map((one) => ({ ...one, body: one.body.toString('hex'), secret }))),
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stderr);
    assert.deepEqual(
      JSON.parse(run.stdout),
      cases.map((one) => one.genuine),
    );
  },
);

test(
  'the sample for the shell tells what is genuine',
  { skip: has('sh', '-c', 'command -v openssl') ? false : 'there is no openssl' },
  () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'renderkit-verify-'));
    try {
      for (const one of cases) {
        const file = path.join(directory, 'body');
        writeFileSync(file, one.body);
        const run = spawnSync('sh', [
          '-c',
          '. "$1"; is_genuine "$2" "$3" "$4" "$5"',
          'sh',
          sample('verify.sh'),
          file,
          one.header,
          secret,
          String(one.now),
        ]);
        assert.equal(run.status === 0, one.genuine, `${one.name}: ${run.stderr.toString()}`);
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
);

test(
  'the sample for Go tells what is genuine',
  { skip: has('go', 'version') ? false : 'there is no Go' },
  () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'renderkit-verify-'));
    try {
      const rows = cases.map(
        (one) =>
          `{${JSON.stringify(one.name)}, "${one.body.toString('hex')}", ${JSON.stringify(one.header)}, ${one.now}, ${one.genuine}},`,
      );
      writeFileSync(path.join(directory, 'go.mod'), 'module webhook\n\ngo 1.19\n');
      writeFileSync(path.join(directory, 'verify.go'), readFileSync(sample('verify.go')));
      writeFileSync(
        path.join(directory, 'verify_test.go'),
        `package webhook

import (
	"encoding/hex"
	"testing"
	"time"
)

func TestIsGenuine(t *testing.T) {
	for _, c := range []struct {
		name, body, header string
		now                int64
		genuine            bool
	}{
${rows.join('\n')}
	} {
		body, _ := hex.DecodeString(c.body)
		if IsGenuine(body, c.header, ${JSON.stringify(secret)}, time.Unix(c.now, 0)) != c.genuine {
			t.Error(c.name)
		}
	}
}
`,
      );
      const run = spawnSync('go', ['test', './...'], { cwd: directory, encoding: 'utf8' });
      assert.equal(run.status, 0, run.stdout + run.stderr);
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
);
