// Tests commands that need no studio with the mock that the command line itself serves.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import Renderkit from 'renderkit';
import { programs } from 'renderkit/programs';
import { verify } from 'renderkit/webhooks';
import { errorOf, type MockServer, runCli, startCli, startMock, wordsOf } from './run-cli.ts';

describe('the command line and a mock', () => {
  let folder: string;
  let mock: MockServer;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'renderkit-cli-mock-'));
    mock = await startMock(folder);
  });
  after(async () => {
    await mock[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const cli = (words: string, more: { stdin?: string; environment?: Record<string, string> } = {}) =>
    runCli(wordsOf(words), { cwd: folder, environment: mock.environment, ...more });
  const lines = (stdout: string) => stdout.trim().split('\n');
  const client = () =>
    new Renderkit({
      baseUrl: mock.environment['RENDERKIT_BASE_URL'],
      apiKey: mock.environment['RENDERKIT_API_KEY'],
    });

  test('several at once are as many generations as it takes, priced together and saved side by side', async () => {
    const told = await cli('image "a boat" -n 3 --estimate -q');
    assert.equal(told.stdout, '3\n');
    const dear = await cli('image "a boat" -n 3 --max-credits 2');
    assert.deepEqual([dear.code, errorOf(dear).code], [5, 'over_max_credits']);
    const made = await cli('image "a boat" -n 3 --max-credits 3 -o boats/ -q --idempotency-key three');
    assert.equal(new Set(lines(made.stdout)).size, 3, made.stderr);
    for (const id of lines(made.stdout))
      assert.ok((await stat(path.join(folder, `boats/${id}.png`))).size > 50);
    const again = await cli('image "a boat" -n 3 --max-credits 3 --no-wait -q --idempotency-key three');
    assert.equal(new Set(lines(again.stdout)).size, 3);
    assert.equal((await client().generations.list()).data.length, 3, 'a key is charged once');
  });

  test('a price is told by a command of its own as by the flag of each create, and nothing is made', async () => {
    const count = async () => (await client().generations.list({ limit: 100 })).data.length;
    const earlier = await count();
    for (const words of [
      'image "a boat" -n 3',
      'edit upl_1 "in winter"',
      'video "a boat sails" -d 5',
      'extend out_1 "it sails on"',
    ]) {
      const told = await cli(`estimate ${words} --json`);
      assert.equal(told.code, 0, told.stderr);
      assert.equal(told.stdout, (await cli(`${words} --estimate --json`)).stdout);
    }
    assert.equal(await count(), earlier);
    assert.match((await cli('estimate')).stdout, /estimate image [^]*estimate extend /);
  });

  test('the settings of a generation are taken over, and what is given goes before them', async () => {
    const first = await cli('image "a hill" -m mock-1 -r 1:1 -O seed=5 -O mood=calm --meta a=b --no-wait -q');
    const id = first.stdout.trim();
    const second = await cli(`image "a lake" --from ${id} -O mood=wild --no-wait -q`);
    const { body } = await client().generations.request(second.stdout.trim());
    assert.deepEqual(body, {
      model: 'mock-1',
      aspect_ratio: '1:1',
      prompt: 'a lake',
      options: { seed: 5, mood: 'wild' },
    });
    const other = await cli(`video "a lake" --from ${id}`);
    assert.equal(other.code, 2);
    assert.match(errorOf(other).message, /renderkit image/);
    const again = await cli(`gen rerun ${id} --no-wait -q`);
    assert.notEqual(again.stdout, first.stdout);
    const { body: same } = await client().generations.request(again.stdout.trim());
    assert.deepEqual(same, (await client().generations.request(id)).body);
  });

  test('several made again are priced together, each under its own key and name', async () => {
    const made = await cli('image "two hills" -n 2 --no-wait -q');
    const ids = lines(made.stdout).join(' ');
    const count = async () => (await client().generations.list({ limit: 100 })).data.length;
    const earlier = await count();
    const refused: [more: string, code: number][] = [
      ['--max-credits 1', 5],
      ['-o one.png', 2],
      ['-o -', 2],
      ['--same -n 2', 2],
    ];
    for (const [more, code] of refused)
      assert.equal((await cli(`gen rerun ${ids} ${more}`)).code, code, more);
    assert.equal(await count(), earlier);
    assert.equal((await cli(`gen rerun ${ids} --estimate -q`)).stdout, '2\n');
    const keyed = `gen rerun ${ids} --max-credits 2 -q --idempotency-key both`;
    const again = await cli(`${keyed} -o again/`);
    assert.equal(new Set(lines(again.stdout)).size, 2, again.stderr);
    assert.equal((await cli(`${keyed} --no-wait`)).code, 0);
    assert.equal(await count(), earlier + 2, 'a key is charged once');
  });

  test('a request that is written down is not sent, and makes the same when it is', async () => {
    await writeFile(path.join(folder, 'in.png'), Buffer.from('iVBORw0KGgo=', 'base64'));
    const earlier = (await client().generations.list({ limit: 100 })).data.length;
    const words = `edit @in.png "in winter's dark" -O seed=5 --code`;
    assert.match((await cli(`${words} curl`)).stdout, /\/v1\/uploads'/);
    assert.match((await cli(`${words} ts`)).stdout, /image: fromPath\('in\.png'\)/);
    const written = (await cli(`${words} cli`)).stdout;
    assert.equal((await client().generations.list({ limit: 100 })).data.length, earlier);
    assert.equal(written, "renderkit edit @in.png 'in winter'\\''s dark' -O seed=5\n");
    assert.equal((await cli('edit @none.png "a" --code curl')).code, 2, 'a file that is not there');
  });

  test('outputs and pages are opened by the program for them', async () => {
    const opener = path.join(folder, 'opener');
    await writeFile(opener, `#!/bin/sh\necho "$1" >> "${folder}/opened"\n`, { mode: 0o755 });
    const environment = { ...mock.environment, BROWSER: opener };
    const made = await cli('image "a boat" -o boat.png --open --json=id', { environment });
    const { id } = JSON.parse(made.stdout) as { id: string };
    await cli(`gen open ${id}`, { environment });
    await cli(`open gen ${id}`, { environment });
    const billing = await cli('open billing -q', { environment });
    assert.match(billing.stdout, /\/console\/connection$/m);
    const opened = async () => lines(await readFile(path.join(folder, 'opened'), 'utf8').catch(() => ''));
    // The opened program runs independently of the command.
    await until('four openings', async () => (await opened()).length >= 4);
    const base = mock.environment['RENDERKIT_BASE_URL'];
    assert.deepEqual(
      new Set(await opened()),
      new Set([
        path.join(folder, 'boat.png'),
        `${base}/mock/output.png`,
        `${base}/console/generations/${id}`,
        `${base}/console/connection`,
      ]),
    );
    assert.equal((await cli('open nothing')).code, 2);
  });

  test('an event that was made up is signed, and its failure is told', async () => {
    const seen: Promise<object>[] = [];
    let status = 200;
    const secret = 'whsec_of-the-program';
    const server = createServer((request, response) => {
      const check = async () => verify(secret, await text(request), request.headers);
      seen.push(check());
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const sent = `--forward-to ${url} --secret ${secret}`;
    const told = await cli(`trigger generation.failed --data metadata.order=7 --data id=gen_mine ${sent}`);
    assert.equal((JSON.parse(told.stdout) as { status: number }).status, 200, told.stderr);
    status = 500;
    const refused = await cli(`trigger ping ${sent}`);
    assert.deepEqual([refused.code, errorOf(refused).code], [1, 'not_delivered']);
    server.close();
    const [failed, ping] = (await Promise.all(seen)) as { type: string; data: Record<string, unknown> }[];
    assert.deepEqual(
      [failed?.type, failed?.data['id'], failed?.data['metadata'], ping?.type],
      ['generation.failed', 'gen_mine', { order: 7 }, 'ping'],
    );
    assert.match((await cli(`trigger upload.ready --secret ${secret}`)).stdout, /Service-Signature/);
    assert.equal((await cli('trigger nothing')).code, 2);
  });

  const scenarios: [scenario: string, words: string, code: number, name: string][] = [
    ['fails', 'image "a boat"', 3, 'generation_failed'],
    ['moderated', 'image "a boat"', 6, 'moderation_blocked'],
    ['slow', 'image "a boat" --timeout 1s', 7, 'still_running'],
    ['no-credits', 'image "a boat"', 5, 'insufficient_credits'],
  ];
  for (const [scenario, words, code, name] of scenarios)
    test(`serve-mock --scenario ${scenario}: exit code ${code} (${name})`, async () => {
      await using told = await startMock(folder, scenario);
      const ended = await cli(words, { environment: told.environment });
      assert.deepEqual([ended.code, errorOf(ended).code], [code, name], ended.stderr);
    });

  test('of several that are waited for no longer every id is told', async () => {
    await using told = await startMock(folder, 'slow');
    const { environment } = told;
    const ended = await cli('image "a boat" -n 3 --timeout 1s -q --max-credits 100', { environment });
    assert.equal(ended.code, 7, ended.stderr);
    const all = await cli('gen list -q', { environment });
    assert.equal(lines(ended.stdout).length, 3);
    assert.deepEqual(new Set(lines(ended.stdout)), new Set(lines(all.stdout)));
  });

  /** Starts a server in front of the mock that answers some requests itself. */
  async function openDoor(own: (method: string, url: string) => [number, object] | undefined) {
    const { RENDERKIT_BASE_URL: inner = '' } = mock.environment;
    const server = createServer((request, response) => {
      const { method = 'GET', url = '', headers } = request;
      const handOn = async () => {
        const [status, body] = own(method, url) ?? [];
        // The pause is longer than the client accepts, so it does not retry.
        if (status !== undefined)
          return void response.writeHead(status, { 'retry-after': '61' }).end(JSON.stringify(body));
        const kept = ['authorization', 'content-type', 'idempotency-key'].flatMap((name) =>
          headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]],
        );
        const sent = method === 'GET' ? null : await text(request);
        const answer = await fetch(`${inner}${url}`, { method, headers: kept, body: sent });
        const type = answer.headers.get('content-type') ?? '';
        response.writeHead(answer.status, { 'content-type': type });
        if (type.startsWith('image/')) response.end(Buffer.from(await answer.arrayBuffer()));
        else response.end((await answer.text()).replaceAll(inner, address));
      };
      handOn().catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      environment: { ...mock.environment, RENDERKIT_BASE_URL: address },
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }
  const count = async () => (await client().generations.list({ limit: 100 })).data.length;
  const newest = async () => (await client().generations.list({ limit: 1 })).data[0]?.id;

  test('what is accepted and can no longer be asked for is told by its id, and is not called worth a repetition', async () => {
    const busy = { code: 'rate_limited', detail: 'Too many.' };
    await using door = await openDoor((method, url) =>
      method === 'GET' && url.startsWith('/v1/generations/')
        ? url.includes('/events')
          ? [404, { code: 'not_found', detail: 'No streams.' }]
          : [429, busy]
        : undefined,
    );
    const ended = await cli('image "a boat" --json=id', { environment: door.environment });
    const id = await newest();
    assert.deepEqual([ended.code, JSON.parse(ended.stdout)], [8, { id }], ended.stderr);
    const told = errorOf(ended) as { generation_id?: string; retryable?: boolean; suggestion?: string };
    assert.deepEqual([told.generation_id, told.retryable], [id, false]);
    assert.match(told.suggestion ?? '', new RegExp(`renderkit gen wait ${id}`));
  });

  test('what was made and cannot be saved is told by its id, without a trace of the program', async () => {
    await using door = await openDoor((_method, url) => (url.startsWith('/mock/') ? [503, {}] : undefined));
    const ended = await cli('image "a boat" -o away.png --json=id', { environment: door.environment });
    const id = await newest();
    assert.deepEqual([ended.code, JSON.parse(ended.stdout)], [9, { id }], ended.stderr);
    assert.equal((errorOf(ended) as { generation_id?: string }).generation_id, id);
    assert.match(errorOf(ended).suggestion ?? '', new RegExp(`renderkit gen download ${id}`));
    assert.doesNotMatch(ended.stderr, /^ +at /m);
  });

  test('a place that cannot be written to is told before anything is sent', async () => {
    await writeFile(path.join(folder, 'file'), '');
    await writeFile(path.join(folder, 'one.csv'), 'prompt\na boat\n');
    const earlier = await count();
    for (const words of ['image "a boat" -o file/out.png', 'batch run one.csv --out file/pictures']) {
      const refused = await cli(words);
      assert.deepEqual([refused.code, errorOf(refused).code], [1, 'file'], refused.stderr);
    }
    assert.equal(await count(), earlier);
  });

  test('what several ids name goes to no single file', async () => {
    const made = await cli('image "two boats" -n 2 --no-wait -q');
    const ids = lines(made.stdout).join(' ');
    for (const words of [`gen download ${ids}`, `gen wait ${ids}`, `assets download ${ids}`])
      assert.equal((await cli(`${words} -o pic.png`)).code, 2, words);
    const saved = await cli(`gen wait ${ids} -o both/ -q`);
    assert.equal(saved.code, 0, saved.stderr);
  });

  test('an @ is a file where a field takes one, and a letter elsewhere; a dry run leaves no upload behind', async () => {
    await writeFile(path.join(folder, 'a.png'), Buffer.from('iVBORw0KGgo=', 'base64'));
    await writeFile(
      path.join(folder, 'at.csv'),
      'prompt,reference_images\n"@home, a cat",\na dog,@a.png|@a.png\na cow,@a.png|@a.png\n',
    );
    const asked: string[] = [];
    await using door = await openDoor((method, url) => {
      asked.push(`${method} ${url.replace(/upl_\w+/, 'upl')}`);
      return undefined;
    });
    const { environment } = door;
    const dry = await cli('batch run at.csv --dry-run', { environment });
    assert.deepEqual(JSON.parse(dry.stdout), { rows: 3, due: 3, credits: 3, unpriced: 0 }, dry.stderr);
    const uploads = () => asked.filter((one) => one.endsWith('/uploads') || one.endsWith('/uploads/upl'));
    assert.deepEqual(uploads(), ['POST /v1/uploads', 'DELETE /v1/uploads/upl']);
    asked.length = 0;
    const made = await cli('batch run at.csv', { environment });
    assert.equal(made.code, 0, made.stderr);
    assert.deepEqual(uploads(), ['POST /v1/uploads'], 'one file is sent once in a run');
    const bodies = await Promise.all(
      (await client().generations.list({ limit: 3 })).data.map(({ id }) => client().generations.request(id)),
    );
    const of = (prompt: string) => bodies.find(({ body }) => body?.['prompt'] === prompt)?.body;
    assert.deepEqual(of('@home, a cat'), { prompt: '@home, a cat' });
    const { reference_images: named = [] } = of('a dog') as { reference_images?: string[] };
    assert.equal(named.length, 2);
    assert.match(named.join(), /^upl_\w+,upl_\w+$/);
    const missing = path.join(folder, 'missing.csv');
    await writeFile(missing, 'prompt,image,kind\na dog,@none.png,edit\n');
    assert.equal((await cli('batch run missing.csv')).code, 2);
  });

  test('serve-mock --scenario full-queue: exit code 8 (queue_full)', async () => {
    await using told = await startMock(folder, 'full-queue');
    const sent = await cli('api POST /v1/images/generations -f prompt=boat --max-retries 0', {
      environment: told.environment,
    });
    assert.deepEqual([sent.code, errorOf(sent).code], [8, 'queue_full'], sent.stderr);
  });

  test('Ctrl-C ends the waiting with 130 and says how to wait again', async () => {
    await using told = await startMock(folder, 'slow');
    const waiting = startCli(['image', 'a boat', '--verbose'], {
      cwd: folder,
      environment: told.environment,
    });
    let stderr = '';
    waiting.stderr.on('data', (data: Buffer) => (stderr += String(data)));
    while (!/GET .*\/events/.test(stderr)) await once(waiting.stderr, 'data');
    waiting.kill('SIGINT');
    const [code] = (await once(waiting, 'close')) as [number];
    assert.equal(code, 130, stderr);
    assert.match(stderr, /renderkit gen wait gen_\w+/);
  });

  test('all pages of a list come by --paginate, an item on each line', async () => {
    for (const _ of [1, 2, 3]) await client().images.create({ prompt: 'a boat' });
    const all = (await client().generations.list({ limit: 100 })).data.map(({ id }) => id);
    const shown = await cli('api GET /v1/generations -f limit=2 --paginate --jq .id');
    assert.deepEqual(lines(shown.stdout), all);
    assert.equal((await cli('api GET /v1/key --paginate')).code, 2);
  });

  test('usage adds up what was made, by model, day or kind', async () => {
    const { id } = await client().images.run({ prompt: 'a boat' });
    const rows = JSON.parse((await cli('usage --by kind')).stdout) as { kind: string; credits: number }[];
    const succeeded = (await client().generations.list({ status: 'succeeded', limit: 100 })).data;
    assert.ok(succeeded.some((one) => one.id === id));
    assert.deepEqual(
      Object.fromEntries(rows.map(({ kind, credits }) => [kind, credits])),
      Object.fromEntries(
        Object.entries(Object.groupBy(succeeded, ({ kind }) => kind)).map(([kind, ones]) => [
          kind,
          ones.length,
        ]),
      ),
    );
  });

  test('profiles are kept, changed and forgotten by name', async () => {
    const { RENDERKIT_BASE_URL: address = '' } = mock.environment;
    for (const name of ['one', 'two']) {
      const kept = await cli(`login --with-key --base-url ${address} --profile ${name}`, {
        stdin: 'rk_live_mock\n',
        environment: {},
      });
      assert.equal(kept.code, 0, kept.stderr);
    }
    assert.equal((await cli('profile use one', { environment: {} })).code, 0);
    const local = await cli('mcp install --client cursor --local', { environment: {} });
    assert.equal(local.code, 0, local.stderr);
    const settings = await readFile(path.join(folder, '.cursor/mcp.json'), 'utf8');
    assert.deepEqual(JSON.parse(settings), {
      mcpServers: {
        renderkit: { command: 'npx', args: ['-y', '@renderkit/cli', 'mcp', '--profile', 'one'], env: {} },
      },
    });
    assert.equal((await cli('profile remove one', { environment: {} })).code, 0);
    assert.equal((await cli('profile list -q', { environment: {} })).stdout, 'two\n');
    assert.equal((await cli('profile remove one', { environment: {} })).code, 1);
    await cli('logout', { environment: {} });
  });

  test('tools are put into the settings of each program, and what else stood there stays', async () => {
    const { RENDERKIT_BASE_URL: address = '', RENDERKIT_API_KEY: key = '' } = mock.environment;
    const files: Record<string, string> = {
      'claude-code': '.claude.json',
      'claude-desktop': 'Claude/claude_desktop_config.json',
      cursor: '.cursor/mcp.json',
      vscode: 'Code/User/mcp.json',
      opencode: 'opencode/opencode.json',
      gemini: '.gemini/settings.json',
      zed: 'zed/settings.json',
    };
    for (const [program, name] of Object.entries(files)) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, '{"theirs": {"kept": true}}');
      const done = await cli(`mcp install --client ${program} -q`);
      assert.deepEqual([done.code, done.stdout], [0, `${file}\n`], done.stderr);
      const written = await readFile(file, 'utf8');
      assert.deepEqual((JSON.parse(written) as { theirs: object }).theirs, { kept: true });
      assert.ok(written.includes(address) && written.includes(key), written);
      assert.equal((await stat(file)).mode & 0o777, 0o600, 'it holds a key now');
    }
    const commented = path.join(folder, 'zed/settings.json');
    await writeFile(commented, '// mine\n{}');
    const left = await cli('mcp install --client zed');
    assert.deepEqual([left.code, errorOf(left).code], [1, 'settings_unread']);
    assert.equal(await readFile(commented, 'utf8'), '// mine\n{}');
    assert.ok(!left.stderr.includes(key), 'what is shown is kept by logs');
    assert.equal((await cli('mcp install')).code, 2);
    assert.equal((await cli('mcp install --client claude-desktop --remote')).code, 2);
  });

  test('of the settings in TOML our tables alone are written anew', async () => {
    const file = path.join(folder, '.codex/config.toml');
    await mkdir(path.dirname(file), { recursive: true });
    const theirs = 'model = "one"\n\n[mcp_servers.other]\ncommand = "x"\n';
    await writeFile(
      file,
      `${theirs}\n[mcp_servers.renderkit]\nurl = "old"\n[mcp_servers.renderkit.env]\nA = "b"\n\n[tui]\na = 1\n`,
    );
    const { RENDERKIT_BASE_URL: address = '', RENDERKIT_API_KEY: key = '' } = mock.environment;
    for (const _ of [1, 2]) assert.equal((await cli('mcp install --client codex')).code, 0);
    assert.equal(
      await readFile(file, 'utf8'),
      `${theirs}\n[tui]\na = 1\n\n[mcp_servers.renderkit]\nurl = "${address}/mcp"\nhttp_headers = { "Authorization" = "Bearer ${key}" }\n`,
    );
    await writeFile(file, 'model = "one\n');
    const left = await cli('mcp install --client codex');
    assert.deepEqual([left.code, errorOf(left).code], [1, 'settings_unread']);
    assert.match(errorOf(left).message, /line 1: a text does not end/);
    assert.match(errorOf(left).suggestion ?? '', /^\[mcp_servers\.renderkit\]$/m);
    assert.ok(!left.stderr.includes(key), 'what is shown is kept by logs');
    assert.equal(await readFile(file, 'utf8'), 'model = "one\n');
  });

  test('docs/connect.md names every program of the doors, and the variables that it is told', async () => {
    const document = await readFile(new URL('../../docs/connect.md', import.meta.url), 'utf8');
    const place = { baseUrl: 'http://127.0.0.1:8787', apiKey: 'rk_live_x' };
    for (const { name, door, settings } of programs.filter((one) => one.door !== 'v1')) {
      const variables = Object.keys(settings(place)).filter((key) => /^[A-Z]+(?:_[A-Z]+)+$/.test(key));
      for (const word of [name, ...(door === 'mcp' ? [] : variables)])
        assert.ok(document.includes(word), `${name}: ${word}`);
    }
  });

  test('agents find what they have to know where they look, with every command in it', async () => {
    const { stdout } = await cli('skill');
    assert.match(stdout, /^---\nname: renderkit\ndescription: .{50,1024}\n---\n/);
    for (const name of ['image', 'batch run', 'skill install'])
      assert.ok(stdout.includes(`\`renderkit ${name}\``));
    const empty = path.join(folder, 'nobody');
    const nobody = await cli('skill install', { environment: { HOME: empty, XDG_CONFIG_HOME: empty } });
    assert.equal(nobody.code, 1);
    const home = path.join(folder, 'agents');
    await mkdir(path.join(home, '.claude'), { recursive: true });
    const found = await cli('skill install -q', { environment: { HOME: home, XDG_CONFIG_HOME: home } });
    assert.equal(found.stdout, `${home}/.claude/skills/renderkit/SKILL.md\n`, found.stderr);
    assert.equal(await readFile(found.stdout.trim(), 'utf8'), stdout);
  });

  test('what another program is told is the same as on the page for it, without a path where it drops one', async () => {
    const environment = { RENDERKIT_BASE_URL: 'https://example.com/draw/', RENDERKIT_API_KEY: 'rk_live_x' };
    const settings = async (name: string) =>
      JSON.parse((await cli(`connect ${name}`, { environment })).stdout) as Record<string, string>;
    assert.deepEqual(await settings('a1111'), {
      URL: 'https://example.com',
      User: 'x',
      Password: 'rk_live_x',
    });
    assert.equal((await settings('sillytavern'))['SD Web UI URL'], 'https://example.com');
    assert.equal((await settings('openai'))['OPENAI_BASE_URL'], 'https://example.com/draw/openai/v1');
    const told = await cli('connect a1111', { environment });
    assert.match(told.stderr, /lead \/sdapi to https:\/\/example\.com\/draw\/sdapi/);
    const sample = await cli('connect claude-code --sample -q', { environment });
    assert.match(
      sample.stdout,
      /claude mcp add --transport http renderkit https:\/\/example\.com\/draw\/mcp/,
    );
  });
});
