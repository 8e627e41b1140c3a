import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestService, type TestService } from './harness.ts';

describe('where the console leads somebody new', () => {
  let service: TestService;
  before(async () => (service = await startTestService()));
  after(() => service[Symbol.asyncDispose]());

  /** Returns the parameters of the redirect to the studio, when a browser opens this address. */
  const asked = async (on: TestService, path: string) => {
    const answer = await on.ask(path);
    assert.equal(answer.status, 303, answer.text);
    return Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams);
  };
  const choices = async (on: TestService) => {
    const answer = await on.ask('/console/auth/choices');
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    return answer.body;
  };
  /** A service whose studio lets people make accounts. */
  const startOpen = async () => {
    const open = await startTestService();
    const issuer = `${open.studio.url}/oidc`;
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      prompt_values_supported: ['none', 'login', 'consent', 'create'],
    };
    open.studio.script('discovery', { json: document });
    return open;
  };

  test('to make an account is offered, and asked for, where the studio says that people may', async () => {
    await using open = await startOpen();
    assert.deepEqual(await choices(open), { object: 'sign_in_choices', sign_up: true });
    const { prompt } = await asked(open, '/console/auth/sign-in?prompt=create&return_to=/console/keys');
    assert.equal(prompt, 'create consent');
    assert.equal((await asked(open, '/console/auth/sign-in'))['prompt'], 'consent');
    assert.equal((await asked(open, '/console/auth/sign-in?prompt=none'))['prompt'], 'consent');
  });

  test('elsewhere it is neither', async () => {
    assert.deepEqual(await choices(service), { object: 'sign_in_choices', sign_up: false });
    assert.equal((await asked(service, '/console/auth/sign-in?prompt=create'))['prompt'], 'consent');
  });

  test('while the studio does not answer, nothing is offered that would need it', async () => {
    await using other = await startTestService();
    other.studio.script('discovery', { status: 503, text: 'down' });
    assert.deepEqual(await choices(other), { object: 'sign_in_choices', sign_up: false });
  });

  test('whoever is expected is told to the studio, if it can be anybody', async () => {
    const hintOf = async (hint: string) =>
      (await asked(service, `/console/auth/sign-in?login_hint=${encodeURIComponent(hint)}`))['login_hint'];
    assert.equal(await hintOf('ada+1@example.org'), 'ada+1@example.org');
    for (const hint of ['', 'a b@example.org', 'a\0@example.org', `${'a'.repeat(250)}@x.org`])
      assert.equal(await hintOf(hint), undefined, hint.slice(0, 20));
  });
});
