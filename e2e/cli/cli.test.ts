// Tests the command line with a whole platform, in pipes and in a terminal.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';
import Renderkit from 'renderkit';
import { verify } from 'renderkit/webhooks';
import { agentVariables, cliFlags, cliProgram, errorOf, runCli, startCli, wordsOf } from './run-cli.ts';

const run = promisify(execFile);

describe('the command line', () => {
  let platform: Platform;
  let folder: string;
  let key: string;
  let environment: Record<string, string>;
  before(async () => {
    platform = await startPlatform({ smallPictures: true });
    folder = await mkdtemp(path.join(tmpdir(), 'renderkit-cli-'));
    const account = await platform.createAccount({ tier: 'pro', credits: 5_000 });
    key = await platform.createKey(account);
    environment = { RENDERKIT_BASE_URL: platform.serviceUrls[0] ?? '', RENDERKIT_API_KEY: key };
  });
  after(async () => {
    await platform[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const cli = (words: string, more: { stdin?: string; environment?: Record<string, string> } = {}) =>
    runCli(wordsOf(words), { cwd: folder, environment, ...more });
  const client = () =>
    new Renderkit({ baseUrl: environment['RENDERKIT_BASE_URL'], apiKey: environment['RENDERKIT_API_KEY'] });

  test('a picture, changed, and set in motion through pipes of ids', async () => {
    const drawn = await cli('image "a boat on a lake" -q');
    assert.equal(drawn.code, 0, drawn.stderr);
    assert.match(drawn.stdout, /^ast_\w+\n$/);
    const changed = await cli('edit - "at night" -q', { stdin: drawn.stdout });
    assert.match(changed.stdout, /^ast_\w+\n$/, changed.stderr);
    const moved = await cli('video --start - "it sails away" -d 3 -o boat.mp4 --yes -q', {
      stdin: changed.stdout,
    });
    assert.match(moved.stdout, /^ast_\w+\n$/, moved.stderr);
    assert.ok((await stat(path.join(folder, 'boat.mp4'))).size > 1_000);
  });

  test('a file of this machine goes in by its @, and bytes come out on stdout', async () => {
    const bytes = await cli('image "a hill" -o hill.png --json=files');
    assert.deepEqual(JSON.parse(bytes.stdout), { files: ['hill.png'] });
    const edited = await cli('edit @hill.png "in winter" --json --jq .outputs[].type');
    assert.equal(edited.stdout, 'image\n', edited.stderr);
    const without = await cli('edit hill.png "in winter"');
    assert.equal(without.code, 2);
    assert.match(errorOf(without).suggestion ?? '', /@hill\.png/);
  });

  test('several pictures of one seed are no copies of one another, and a repetition pays for none', async () => {
    const words = 'image "a boat" -m sketch-1 -n 3 -O seed=7 -q --idempotency-key seeds';
    const made = await cli(`${words} -o seeds/`);
    assert.equal(made.code, 0, made.stderr);
    const files = await readdir(path.join(folder, 'seeds'));
    const pictures = await Promise.all(
      files.map(async (file) => (await readFile(path.join(folder, 'seeds', file))).toString('base64')),
    );
    assert.deepEqual([pictures.length, new Set(pictures).size], [3, 3]);
    assert.equal((await cli(words)).stdout, made.stdout);
  });

  test('what costs more than the key lets through asks, and a pipe is told how to agree', async () => {
    await platform.databases.service.rows(
      'update api_keys set confirm_above_millicredits = 1000 where public_id = $1',
      [key.slice(8, 20)],
    );
    const credits = (await client().account.balance()).balance;
    const refused = await cli('image "a lake"');
    assert.deepEqual([refused.code, errorOf(refused).code], [5, 'not_confirmed']);
    assert.match(errorOf(refused).suggestion ?? '', /--yes, or --max-credits 4/);
    assert.deepEqual([(await cli('image "a lake" --max-credits 3')).code], [5]);
    assert.equal((await client().account.balance()).balance, credits);
    assert.equal((await cli('image "a lake" --max-credits 4 -q')).code, 0);
    await platform.databases.service.rows(
      'update api_keys set confirm_above_millicredits = 25000 where public_id = $1',
      [key.slice(8, 20)],
    );
  });

  test('the price that was told goes along with what is sent, so that no higher one is charged', async () => {
    const limits: (string | undefined)[] = [];
    const door = createServer((request, response) => {
      const { method = 'GET', url = '', headers } = request;
      if (url === '/v1/images/generations') limits.push(headers['x-renderkit-max-credits'] as string);
      const handOn = async () => {
        const body = method === 'GET' ? null : await text(request);
        const kept = ['authorization', 'content-type', 'idempotency-key', 'x-renderkit-max-credits'];
        const given = kept.flatMap((name) =>
          headers[name] === undefined ? [] : [[name, String(headers[name])]],
        );
        const answer = await fetch(`${platform.serviceUrls[0]}${url}`, {
          method,
          body,
          headers: given as [string, string][],
        });
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        response.end(await answer.text());
      };
      handOn().catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(door, 'listening');
    const through = {
      ...environment,
      RENDERKIT_BASE_URL: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    };
    await writeFile(path.join(folder, 'pair.csv'), 'prompt\na lake\na hill\n');
    for (const words of [
      'image "a lake" --no-wait',
      'image "a lake" --no-wait --max-credits 9',
      'image "a lake" --no-wait --yes',
      'batch run pair.csv --max-credits 50',
    ]) {
      const ended = await cli(words, { environment: through });
      assert.equal(ended.code, 0, ended.stderr);
    }
    door.close();
    door.closeAllConnections();
    assert.deepEqual(limits, ['4', '9', undefined, '4', '4']);
  });

  const nobody = { RENDERKIT_API_KEY: 'rk_live_000000000000_00000000000000000000000000000000' };
  const exits: [words: string, code: number, name: string, environment?: Record<string, string>][] = [
    ['gen list --status nothing', 2, 'usage'],
    ['image "a lake" -m nothing', 2, 'invalid_request'],
    ['gen get ..', 2, 'invalid_request'],
    ['image "a lake" -m sandbox-fail', 3, 'generation_failed'],
    ['whoami', 4, 'unauthorized', nobody],
    ['whoami', 4, 'no_key', { RENDERKIT_API_KEY: '' }],
    ['image "a lake" --max-credits 1', 5, 'over_max_credits'],
    ['image "a lake" -m sandbox-slow -O seconds=30 --timeout 1s', 7, 'still_running'],
    ['whoami', 9, 'connection_failed', { RENDERKIT_BASE_URL: 'http://127.0.0.1:9' }],
  ];
  for (const [words, code, name, own] of exits)
    test(`exit code ${code}: ${words} (${name})`, async () => {
      const ended = await cli(words, own === undefined ? {} : { environment: { ...environment, ...own } });
      assert.match(ended.stdout, name === 'still_running' ? /^\{"id":"gen_\w+"\}\n$/ : /^$/);
      assert.deepEqual([ended.code, errorOf(ended).code], [code, name], ended.stderr);
      assert.ok((errorOf(ended).suggestion ?? '') !== '' || name === 'generation_failed' || name === 'usage');
    });

  test('a key that was signed in with is kept for its user alone, and sent to its own address alone', async () => {
    const { RENDERKIT_BASE_URL: address = '' } = environment;
    const signedIn = await cli(`login --with-key --base-url ${address}`, {
      stdin: `${key}\n`,
      environment: {},
    });
    assert.equal(signedIn.code, 0, signedIn.stderr);
    const file = path.join(folder, 'renderkit/config.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal((await cli('balance -q', { environment: {} })).code, 0);
    const elsewhere = await cli('balance', { environment: { RENDERKIT_BASE_URL: 'http://127.0.0.1:9' } });
    assert.deepEqual([elsewhere.code, errorOf(elsewhere).code], [4, 'no_key']);
    assert.equal((await cli('logout', { environment: {} })).code, 0);
    assert.doesNotMatch(await readFile(file, 'utf8'), /rk_live/);
  });

  test('a batch that was killed goes on without paying twice, and says which rows have failed', async () => {
    const rows = Array.from({ length: 6 }, (_, i) => `boat ${i},sandbox-slow,2`);
    await writeFile(
      path.join(folder, 'boats.csv'),
      ['prompt,model,options.seconds', ...rows, '"fails, surely",sandbox-fail,', ''].join('\n'),
    );
    const credits = (await client().account.balance()).balance;
    const first = startCli(wordsOf('batch run boats.csv --yes --out boats -c 3'), {
      cwd: folder,
      environment,
    });
    // Killed as soon as its journal shows that something was created.
    const journal = path.join(folder, 'boats.csv.state.jsonl');
    while (!(await readFile(journal, 'utf8').catch(() => '')).includes('"created"')) await sleep(20);
    first.kill('SIGKILL');
    await once(first, 'close');
    const second = await cli('batch run boats.csv --yes --out boats -c 3');
    assert.deepEqual([second.code, errorOf(second).code], [3, 'rows_failed'], second.stderr);
    assert.equal((await readdir(path.join(folder, 'boats'))).length, 6);
    const results = await readFile(path.join(folder, 'boats.csv.results.csv'), 'utf8');
    const paid = results
      .split('\n')
      .flatMap((line) => (line.includes('succeeded') ? [Number(line.split(',')[3])] : []));
    assert.equal(paid.length, 6, results);
    const spent = credits - (await client().account.balance()).balance;
    assert.equal(
      spent,
      paid.reduce((all, one) => all + one, 0),
    );
    const third = await cli('batch run boats.csv --yes');
    assert.equal(third.code, 3);
    assert.equal(credits - (await client().account.balance()).balance, spent, 'nothing was left to be made');
  });

  test('rows that go by files in lists have a price, which is agreed to before they are made', async () => {
    const picture = await cli('image "a hill" -o ref.png -q');
    assert.equal(picture.code, 0, picture.stderr);
    await writeFile(
      path.join(folder, 'refs.csv'),
      'prompt,reference_images\na hill in snow,@ref.png|@ref.png\na hill in rain,@ref.png|@ref.png\n',
    );
    const dry = await cli('batch run refs.csv --dry-run');
    const { credits, unpriced } = JSON.parse(dry.stdout) as { credits: number; unpriced: number };
    assert.ok(credits > 0 && unpriced === 0, dry.stdout + dry.stderr);
    const initially = (await client().account.balance()).balance;
    const made = await cli(`batch run refs.csv --max-credits ${credits}`);
    assert.equal(made.code, 0, made.stdout + made.stderr);
    assert.equal(initially - (await client().account.balance()).balance, credits);
  });

  test('a batch that one account has begun is not gone on with by another', async () => {
    await writeFile(path.join(folder, 'mine.csv'), 'prompt\na lake\n');
    assert.equal((await cli('batch run mine.csv')).code, 0);
    const other = await platform.createAccount({ tier: 'pro', credits: 100 });
    const theirs = { ...environment, RENDERKIT_API_KEY: await platform.createKey(other) };
    const refused = await cli('batch run mine.csv', { environment: theirs });
    assert.deepEqual([refused.code, errorOf(refused).code], [1, 'other_account']);
  });

  test('events are handed on signed, as webhooks are', async () => {
    const seen: Promise<{ type: string; id: string }>[] = [];
    let came: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (came = resolve));
    const secret = 'whsec_of-the-program';
    const server = createServer((request, response) => {
      const check = async () => {
        const event = await verify(secret, await text(request), request.headers);
        assert.equal(request.headers['service-event'], event.type);
        return { type: event.type, id: (event.data as { id: string }).id };
      };
      seen.push(check());
      response.end();
      came();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const listening = startCli(['listen', '--forward-to', url, '--secret', secret], {
      cwd: folder,
      environment,
    });
    await once(listening.stderr, 'data');
    const { id } = await client().images.run({ prompt: 'a lake' });
    await arrived;
    const [line] = (await once(listening.stdout, 'data')) as [Buffer];
    listening.kill();
    await once(listening, 'close');
    server.close();
    const [first] = await Promise.all(seen);
    assert.deepEqual(first, { type: 'generation.succeeded', id });
    assert.equal((JSON.parse(String(line)) as { status: number }).status, 200);
  });

  test('doctor finds nothing here, and connect makes the first request of a program', async () => {
    const healthy = await cli('doctor');
    assert.equal(healthy.code, 0, healthy.stdout + healthy.stderr);
    const connected = await cli('connect openai --test --jq .models[]');
    assert.match(connected.stdout, /^atelier-1$/m, connected.stderr);
    const tavern = await cli('connect sillytavern --test --jq .models[]');
    assert.match(tavern.stdout, /^atelier-1$/m, tavern.stderr);
    const agent = await cli('connect claude-code --test --jq .tools[]');
    assert.match(agent.stdout, /^create_image$/m, agent.stderr);
    assert.equal((await cli('connect nothing')).code, 2);
  });

  test('the models of this service are written as types and as JSON Schema', async () => {
    const types = await cli('models types');
    assert.match(types.stdout, /"sandbox-slow": \{\s+options: \{\s+"seconds"\?: number;/, types.stderr);
    const schema = await cli('models schema sandbox-slow --jq .properties.options.properties.seconds.type');
    assert.equal(schema.stdout, 'number\n', schema.stderr);
  });

  test('what was made is downloaded from the library by its id, a video too', async () => {
    const video = await client().videos.run({ prompt: 'clouds', duration: 3 });
    const [output] = video.outputs;
    const saved = await cli(`assets download ${output.id} -o clip.mp4 -q`);
    assert.equal(saved.stdout, 'clip.mp4\n', saved.stderr);
    assert.ok((await stat(path.join(folder, 'clip.mp4'))).size > 1_000);
    const missing = await cli('assets download ast_nothing');
    assert.deepEqual([missing.code, errorOf(missing).code], [1, 'not_found']);
  });

  test('a terminal that shows JPEG gets pictures on the way', async () => {
    const drawn = await cli('video "clouds above a lake" -d 8 --yes --preview iterm -q');
    assert.equal(drawn.code, 0, drawn.stderr);
    const [, ...pictures] = drawn.stderr.split('\u001b]1337;File=inline=1;');
    assert.ok(pictures.length > 0, 'no preview came');
    for (const picture of pictures) {
      const [, size, data = ''] = /^size=(\d+);[^:]*:([\w+/=]+)/.exec(picture) ?? [];
      const bytes = Buffer.from(data, 'base64');
      assert.deepEqual([bytes.length, bytes.toString('hex', 0, 2)], [Number(size), 'ffd8']);
    }
  });

  const hasTmux = canRun('tmux', ['-V']);
  test(
    'a terminal shows how far it is, and Ctrl-C leaves the generation to itself',
    { skip: hasTmux ? false : 'there is no tmux here' },
    async () => {
      const socket = path.join(folder, 'tmux');
      const tmux = async (...words: string[]) => (await run('tmux', ['-S', socket, ...words])).stdout;
      const screenHas = async (shape: RegExp) => {
        const isSo = (screen: string) => shape.test(screen);
        return shape.exec(await until(String(shape), () => tmux('capture-pane', '-p'), { isSo })) ?? [];
      };
      const variables = Object.entries({ ...environment, XDG_CONFIG_HOME: folder }).map(
        ([name, value]) => `${name}=${value}`,
      );
      const without = agentVariables.map((name) => `-u ${name}`);
      const program = `exec env ${[...without, ...variables, process.execPath, ...cliFlags, cliProgram].join(' ')}`;
      await tmux('new-session', '-d', '-x', '100', '-y', '20', 'bash --norc');
      try {
        await tmux('set-option', '-g', 'remain-on-exit', 'on');
        await tmux('send-keys', `${program} image "a lake" -m sandbox-slow -O seconds=300`, 'Enter');
        const [, id = ''] = await screenHas(/^(gen_\w+)$/m);
        await screenHas(/rendering|waiting/);
        await tmux('send-keys', 'C-c');
        await screenHas(/Ctrl-C again cancels/);
        await screenHas(/goes on without us/);
        assert.match((await client().generations.retrieve(id)).status, /queued|running/);
        // A second Ctrl+C cancels only what waits. On a busy machine three seconds may pass before it is sent.
        const ends = /It runs already: `renderkit gen stop|was canceled; it cost nothing|goes on without us/;
        let said = 'goes on';
        while (said.startsWith('goes on')) {
          await tmux('respawn-pane', '-k', `${program} gen wait ${id}`);
          await screenHas(/rendering|waiting/);
          await tmux('send-keys', 'C-c');
          await screenHas(/Ctrl-C again cancels/);
          await tmux('send-keys', 'C-c');
          [said = ''] = await screenHas(ends);
        }
        const { status } = await client().generations.retrieve(id);
        assert.equal(status === 'canceled', said.startsWith('was canceled'), `${status}: ${said}`);
      } finally {
        await tmux('kill-server').catch(() => undefined);
      }
    },
  );
});

function canRun(program: string, words: string[]): boolean {
  try {
    execFileSync(program, words, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
