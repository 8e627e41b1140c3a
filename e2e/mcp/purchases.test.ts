// Tests purchases that a person must confirm: one confirmation is one purchase.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ElicitResult } from '@modelcontextprotocol/client';
import type { Platform, PlatformAccount } from '@renderkit/stack/testing/platform.ts';
import { sharedPlatform } from '@renderkit/stack/testing/shared-platform.ts';
import { balance, connectMcp, type ConnectOptions, detailsOf, type Era } from './connected.ts';

const prompt = 'a lighthouse above a calm sea at dusk';

describe('purchases over MCP', () => {
  let platform: Platform;
  let account: PlatformAccount;
  before(async () => {
    platform = await sharedPlatform();
    account = await platform.createAccount({ tier: 'pro', credits: 2_000 });
  });

  const connect = (era: Era, options: ConnectOptions) => connectMcp(platform, era, options);

  test('a person who is asked decides: yes buys once, no buys nothing', async () => {
    const careful = await platform.createKey(account, { confirmAbove: 1 });
    const request = { prompt, max_credits: 20, wait_seconds: 0 };
    await using no = await connect('auto', { key: careful, answer: { action: 'decline' } });
    const initially = await balance(no);
    assert.match((await no.call('create_image', request)).text, /^declined: /);
    assert.equal(await balance(no), initially);
    const agrees: ElicitResult = { action: 'accept', content: { approve: true } };
    await using yes = await connect('auto', { key: careful, answer: agrees });
    const bought = await yes.call('create_image', request);
    assert.ok(!bought.isError, bought.text);
    assert.equal(await balance(yes), initially - (bought.data as { credits: number }).credits);
  });

  test('where nobody can be asked a token stands for one purchase, of these arguments', async () => {
    await using mcp = await connect('legacy', {
      key: await platform.createKey(account, { confirmAbove: 1 }),
    });
    const request = { prompt: 'clouds drift over mountains', max_credits: 20, wait_seconds: 0 };
    const asked = await mcp.call('create_image', request);
    assert.match(asked.text, /^confirmation_required: /);
    const { confirm, credits } = detailsOf(asked) as { confirm: string; credits: number };
    const initially = await balance(mcp);
    const other = await mcp.call('create_image', { ...request, prompt: 'a storm', confirm });
    assert.match(other.text, /given out for other arguments/);
    const forged = await mcp.call('create_image', { ...request, confirm: `${confirm}x` });
    assert.match(forged.text, /none that was given out here/);
    // Sends the same twice at once, like a program that retried too early.
    const bought = await Promise.all([1, 2].map(() => mcp.call('create_image', { ...request, confirm })));
    const ids = bought.map(({ data }) => (data as { id: string }).id);
    assert.equal(new Set(ids).size, 1, bought.map(({ text }) => text).join('\n'));
    assert.equal(await balance(mcp), initially - credits);
  });

  test('one yes is one purchase: a token with another request_id buys nothing', async () => {
    await using mcp = await connect('legacy', {
      key: await platform.createKey(account, { confirmAbove: 1 }),
    });
    const request = { prompt: 'a mill', max_credits: 20, wait_seconds: 0, request_id: 'mill-1' };
    const asked = await mcp.call('create_image', request);
    const { confirm, credits } = detailsOf(asked) as { confirm: string; credits: number };
    const initially = await balance(mcp);
    const bought = await mcp.call('create_image', { ...request, confirm });
    assert.ok(!bought.isError, bought.text);
    const { request_id: _first, ...unnamed } = request;
    for (const other of [{ ...request, request_id: 'mill-2' }, unnamed]) {
      const refused = await mcp.call('create_image', { ...other, confirm });
      assert.match(refused.text, /^confirmation_required: [^]*given out for other arguments/);
    }
    const again = await mcp.call('create_image', { ...request, confirm });
    assert.equal((again.data as { id: string }).id, (bought.data as { id: string }).id);
    assert.equal(await balance(mcp), initially - credits);
  });

  test('one yes is one purchase: a form that was agreed to, sent again with another request_id, asks again', async () => {
    const careful = await platform.createKey(account, { confirmAbove: 1 });
    const sent: [url: string | URL | Request, init: RequestInit | undefined][] = [];
    await using mcp = await connect('auto', {
      key: careful,
      answer: { action: 'accept', content: { approve: true } },
      fetch: (url, init) => {
        sent.push([url, init]);
        return fetch(url, init);
      },
    });
    const request = { prompt: 'a mill', max_credits: 20, wait_seconds: 0, request_id: 'mill-form-1' };
    const bought = await mcp.call('create_image', request);
    assert.ok(!bought.isError, bought.text);
    const after = await balance(mcp);
    const textOf = (init: RequestInit | undefined) => (typeof init?.body === 'string' ? init.body : '');
    const agreed = sent.find(([, init]) => textOf(init).includes('"inputResponses"'));
    assert.ok(agreed !== undefined, 'the form was not answered');
    const [url, init] = agreed;
    const body = textOf(init);
    assert.ok(body.includes('"mill-form-1"'));
    const repeated = async (requestId: string) => {
      const answer = await fetch(url, {
        ...init,
        body: body.replace('mill-form-1', requestId),
        signal: null,
      });
      return answer.text();
    };
    assert.match(await repeated('mill-form-2'), /"input_required"/);
    assert.ok((await repeated('mill-form-1')).includes((bought.data as { id: string }).id));
    assert.equal(await balance(mcp), after);
  });
});
