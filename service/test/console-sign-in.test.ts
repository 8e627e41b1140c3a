import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { deleteAccount, listKeys } from '../src/operator.ts';
import { assertProblem } from './assert-problem.ts';
import { cookieName, fromConsole } from './console-session.ts';
import { CookieJar } from './cookie-jar.ts';
import { type Ask, askAt, startTestService, type TestService } from './harness.ts';
import type { Twist } from './scripted-issuer.ts';

const post = { method: 'POST', headers: fromConsole };
const publicUrl = 'https://renderkit.test';

describe('signing in to the console', () => {
  let service: TestService;
  before(async () => (service = await startTestService()));
  after(() => service[Symbol.asyncDispose]());

  const visit = async (jar: CookieJar, path: string, ask: Ask = {}) => {
    const answer = await service.ask(path, { ...ask, headers: { cookie: jar.header, ...ask.headers } });
    jar.take(answer.headers);
    return answer;
  };
  const locationOf = (answer: { status: number; headers: Headers; text: string }) => {
    assert.equal(answer.status, 303, answer.text);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    return answer.headers.get('location') ?? '';
  };
  const begin = async (jar: CookieJar, returnTo?: string) =>
    locationOf(
      await visit(
        jar,
        `/console/auth/sign-in${returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`}`,
      ),
    );
  const comeBack = async (jar: CookieJar, back: URL) =>
    locationOf(await visit(jar, back.pathname + back.search));
  const reasonOf = (location: string) => {
    assert.ok(location.startsWith('/console/sign-in-failed?'), location);
    return new URLSearchParams(location.split('?')[1]).get('reason');
  };
  const signIn = async (jar: CookieJar, sub: string, twist?: Twist) =>
    comeBack(jar, service.studio.issuer.agree(await begin(jar), sub, twist));
  const whoIs = (jar: CookieJar) => visit(jar, '/console/api/session', { headers: fromConsole });
  const signedInAs = async (jar: CookieJar) => {
    const answer = await whoIs(jar);
    return answer.status === 200 ? (answer.body['account'] as { email: string }).email : undefined;
  };

  test('the studio is asked for a code, with state, nonce and PKCE, and what belongs to it is encrypted', async () => {
    const jar = new CookieJar();
    const address = new URL(await begin(jar, '/console/keys'));
    assert.equal(address.origin, service.studio.url);
    const asked = Object.fromEntries(address.searchParams);
    assert.deepEqual(
      { ...asked, state: '', nonce: '', code_challenge: '' },
      {
        client_id: 'service',
        redirect_uri: `${publicUrl}/console/auth/callback`,
        response_type: 'code',
        scope: 'openid email profile offline_access',
        prompt: 'consent',
        code_challenge_method: 'S256',
        state: '',
        nonce: '',
        code_challenge: '',
      },
    );
    for (const name of ['state', 'nonce', 'code_challenge'])
      assert.match(asked[name] ?? '', /^[\w-]{43}$/, name);
    const [line = ''] = jar.lines;
    assert.match(line, /^__Host-rk_sign_in_[\w-]{12}_443=/);
    assert.match(line, /; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    for (const secret of [asked['nonce'], asked['state'], '/console/keys'])
      assert.ok(!decodeURIComponent(line).includes(`"${secret}"`), line);
  });

  test('the answer makes the account, its connection and a session, and leads back', async () => {
    const jar = new CookieJar();
    const address = await begin(jar, '/console/keys?status=active');
    const location = await comeBack(jar, service.studio.issuer.agree(address, service.studio.account.id));
    assert.equal(location, '/console/keys?status=active');
    assert.deepEqual(jar.names(), [cookieName]);
    const line = jar.lines.find((one) => one.startsWith(`${cookieName}=rks_`)) ?? '';
    assert.match(line, /=rks_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const who = await whoIs(jar);
    assert.equal(
      (who.body['account'] as { email: string }).email,
      `${service.studio.account.id}@example.org`,
    );
    const connection = await visit(jar, '/console/api/connection', { headers: fromConsole });
    assert.equal(connection.body['state'], 'live', connection.text);
    const audit = await service.database.rows<{ action: string; email: string }>(
      `select action, email from audit_entries where session_id = $1 order by action`,
      [(who.body['session'] as { id: string }).id],
    );
    assert.deepEqual(audit, [
      { action: 'connection.renewed', email: `${service.studio.account.id}@example.org` },
      { action: 'session.created', email: `${service.studio.account.id}@example.org` },
    ]);
  });

  test('signing in again is the same account, connected anew, with the same keys', async () => {
    const jar = new CookieJar();
    await signIn(jar, service.studio.account.id);
    const { id } = (await whoIs(jar)).body['account'] as { id: string };
    const key = await service.createKey({ accountId: id });
    assert.equal((await service.ask('/v1/account', { key })).status, 200);
    service.studio.endSessions();
    assert.equal((await service.ask('/v1/account', { key })).status, 403);
    const expired = await visit(jar, '/console/api/connection', { headers: fromConsole });
    assert.deepEqual([expired.body['state'], expired.body['account']], ['expired', null]);
    await signIn(new CookieJar(), service.studio.account.id);
    assert.equal((await service.ask('/v1/account', { key })).status, 200);
    const rows = await service.database.rows('select id from accounts where studio_account_id = $1', [
      service.studio.account.id,
    ]);
    assert.equal(rows.length, 1);
  });

  test('several tabs sign in side by side', async () => {
    const jar = new CookieJar();
    const addresses = [
      await begin(jar, '/console/keys'),
      await begin(jar, '/console/webhooks'),
      await begin(jar),
    ];
    const backs = addresses.map((address) => service.studio.issuer.agree(address, 'stu_tabs'));
    assert.equal(await comeBack(jar, backs[1] as URL), '/console/webhooks');
    assert.equal(await comeBack(jar, backs[0] as URL), '/console/keys');
    assert.equal(await comeBack(jar, backs[2] as URL), '/console');
    assert.deepEqual(jar.names(), [cookieName]);
  });

  test('a browser remembers five tries, the newest', async () => {
    const jar = new CookieJar();
    const addresses: string[] = [];
    for (let i = 0; i < 8; i++) addresses.push(await begin(jar));
    assert.equal(jar.names().length, 5);
    const [first = ''] = addresses;
    assert.equal(
      reasonOf(await comeBack(jar, service.studio.issuer.agree(first, 'stu_tabs'))),
      'attempt_unknown',
    );
    const last = addresses.at(-1) ?? '';
    assert.equal(await comeBack(jar, service.studio.issuer.agree(last, 'stu_tabs')), '/console');
  });

  test('a link to our sign-in leads nobody elsewhere', async () => {
    for (const elsewhere of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example/',
      '/console/../..',
      '/v1',
    ]) {
      const jar = new CookieJar();
      const address = await begin(jar, elsewhere);
      assert.equal(
        await comeBack(jar, service.studio.issuer.agree(address, 'stu_link')),
        '/console',
        elsewhere,
      );
    }
  });

  test('the session always has a new token, and the one that the browser held ends', async () => {
    const planted = `rks_${'a'.repeat(43)}`;
    const jar = new CookieJar();
    jar.set(cookieName, planted);
    await signIn(jar, 'stu_fixed');
    const first = jar.get(cookieName);
    assert.notEqual(first, planted);
    const other = new CookieJar();
    other.set(cookieName, planted);
    assert.equal(await signedInAs(other), undefined);
    await signIn(jar, 'stu_fixed');
    assert.notEqual(jar.get(cookieName), first);
    other.set(cookieName, first ?? '');
    assert.equal(await signedInAs(other), undefined);
    assert.equal(await signedInAs(jar), 'stu_fixed@example.org');
  });

  test('an answer serves once', async () => {
    const jar = new CookieJar();
    const address = await begin(jar);
    const held = new CookieJar();
    for (const name of jar.names()) held.set(name, jar.get(name) ?? '');
    const back = service.studio.issuer.agree(address, 'stu_once');
    assert.equal(await comeBack(jar, back), '/console');
    assert.equal(reasonOf(await comeBack(jar, back)), 'attempt_unknown');
    // Also for a browser that kept the attempt's cookie: the studio accepts no code twice.
    assert.equal(reasonOf(await comeBack(held, back)), 'studio_refused');
    assert.equal(held.get(cookieName), undefined);
  });

  test('an answer that comes twice at once signs in once', async () => {
    const jar = new CookieJar();
    const address = await begin(jar);
    const again = new CookieJar();
    for (const name of jar.names()) again.set(name, jar.get(name) ?? '');
    const back = service.studio.issuer.agree(address, 'stu_reload');
    const { codesExchanged } = service.studio.issuer;
    const told = await Promise.all([comeBack(jar, back), comeBack(again, back)]);
    assert.deepEqual(told, ['/console', '/console']);
    assert.equal(service.studio.issuer.codesExchanged - codesExchanged, 1);
    assert.equal(jar.get(cookieName), again.get(cookieName));
    assert.equal(await signedInAs(jar), 'stu_reload@example.org');
  });

  test('an answer serves only the browser that began', async () => {
    const [victim, attacker] = [new CookieJar(), new CookieJar()];
    const [ofVictim, ofAttacker] = [await begin(victim), await begin(attacker)];
    const { issuer } = service.studio;
    const exchanged = issuer.codesExchanged;
    const lure = issuer.agree(ofAttacker, 'stu_attacker');
    assert.equal(reasonOf(await comeBack(victim, lure)), 'attempt_unknown');
    // The attacker's code with the victim's own state fails: the code is bound to another challenge.
    const swapped = new URL(lure);
    swapped.searchParams.set('state', new URL(ofVictim).searchParams.get('state') ?? '');
    assert.equal(reasonOf(await comeBack(victim, swapped)), 'studio_refused');
    for (const strange of ['', 'state=', 'state=a&state=b', `state=${'a'.repeat(43)}&code=x`, 'code=x']) {
      const answer = await visit(victim, `/console/auth/callback?${strange}`);
      assert.equal(reasonOf(locationOf(answer)), 'attempt_unknown', strange);
    }
    assert.equal(issuer.codesExchanged, exchanged);
    assert.equal(await signedInAs(victim), undefined);
  });

  test('a try that was tampered with, or is ten minutes old, is none', async (context) => {
    const jar = new CookieJar();
    const address = await begin(jar);
    const [name = ''] = jar.names();
    const whole = jar.get(name) ?? '';
    const back = service.studio.issuer.agree(address, 'stu_tampered');
    jar.set(name, `${whole.slice(0, -3)}${whole.endsWith('AAA') ? 'BBB' : 'AAA'}`);
    assert.equal(reasonOf(await comeBack(jar, back)), 'attempt_unknown');
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 601_000 });
    jar.set(name, whole);
    const late = await visit(jar, back.pathname + back.search);
    context.mock.timers.reset();
    assert.equal(reasonOf(locationOf(late)), 'attempt_unknown');
  });

  test('an identity that is not what was asked for is refused', async () => {
    const foreignKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const seconds = Math.floor(Date.now() / 1000);
    const twists: Record<string, Twist> = {
      nonce: { claims: { nonce: 'another' } },
      'no nonce': { claims: { nonce: undefined } },
      issuer: { claims: { iss: 'https://evil.example/oidc' } },
      audience: { claims: { aud: 'another client' } },
      'several audiences': { claims: { aud: ['service', 'another'], azp: 'another' } },
      expired: { claims: { exp: seconds - 3_600, iat: seconds - 7_200 } },
      'no subject': { claims: { sub: undefined } },
      'a subject that no database holds': { claims: { sub: 'a\0b' } },
      'a subject without end': { claims: { sub: 'x'.repeat(256) } },
      signature: { signedBy: foreignKey },
      'issuer of the answer': { iss: 'https://evil.example/oidc' },
      'no lasting access': { refreshToken: false },
    };
    for (const [what, twist] of Object.entries(twists)) {
      const jar = new CookieJar();
      assert.equal(reasonOf(await signIn(jar, `stu_twisted`, twist)), 'studio_refused', what);
      assert.equal(jar.get(cookieName), undefined, what);
    }
    const made = await service.database.rows('select 1 from accounts where studio_account_id = $1', [
      'stu_twisted',
    ]);
    assert.equal(made.length, 0);
  });

  test('a profile that is refused, or of somebody else, makes nobody signed in', async () => {
    for (const answer of [
      { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' }, json: {} },
      { json: { sub: 'stu_another', email: 'another@example.org' } },
      { text: '<html>' },
    ]) {
      service.studio.scriptOnce('userinfo', answer);
      const jar = new CookieJar();
      assert.equal(reasonOf(await signIn(jar, 'stu_profile')), 'studio_refused', JSON.stringify(answer));
      assert.equal(jar.get(cookieName), undefined);
    }
    service.studio.scriptOnce('userinfo', { status: 503, text: '' });
    assert.equal(reasonOf(await signIn(new CookieJar(), 'stu_profile')), 'studio_unavailable');
  });

  test('one process may finish what another began, and what one ends is ended for all', async () => {
    await using other = await service.startAnother();
    const jar = new CookieJar();
    const back = service.studio.issuer.agree(await begin(jar), 'stu_two');
    const at = (path: string, ask: Ask = {}) =>
      askAt(other.url, path, { ...ask, headers: { cookie: jar.header, ...fromConsole } });
    jar.take((await at(back.pathname + back.search)).headers);
    assert.equal(await signedInAs(jar), 'stu_two@example.org');
    for (let round = 0; round < 10; round++) {
      const headers = { cookie: jar.header, ...fromConsole };
      assert.equal((await at('/console/api/session')).status, 200);
      const ended =
        round % 2 === 0 ? visit(jar, '/console/api/sign-out', post) : at('/console/api/sign-out', post);
      assert.equal((await ended).status, 200);
      assert.equal((await askAt(other.url, '/console/api/session', { headers })).status, 401);
      assert.equal((await service.ask('/console/api/session', { headers })).status, 401);
      await signIn(jar, 'stu_two');
    }
  });

  test('who says no at the studio is told so', async () => {
    const jar = new CookieJar();
    const { issuer } = service.studio;
    assert.equal(reasonOf(await comeBack(jar, issuer.decline(await begin(jar)))), 'denied');
    const later = issuer.decline(await begin(jar), 'temporarily_unavailable');
    assert.equal(reasonOf(await comeBack(jar, later)), 'studio_unavailable');
    const strange = issuer.decline(await begin(jar), 'toString');
    assert.equal(reasonOf(await comeBack(jar, strange)), 'studio_refused');
  });

  test('a studio that is down, or talks nonsense, ends on the page that says so', async () => {
    await using other = await startTestService();
    const at = async (path: string) => {
      const answer = await other.ask(path);
      return reasonOf(answer.headers.get('location') ?? '');
    };
    other.studio.script('discovery', { status: 503, text: 'down' });
    assert.equal(await at('/console/auth/sign-in?return_to=/console/keys'), 'studio_unavailable');
    other.studio.script('discovery', { json: { issuer: 'https://evil.example' } });
    assert.equal(await at('/console/auth/sign-in'), 'studio_refused');
    other.studio.script('discovery', { text: '<html>' });
    assert.equal(await at('/console/auth/sign-in'), 'studio_refused');
    const issuer = `${other.studio.url}/oidc`;
    const foreign = {
      issuer,
      authorization_endpoint: 'https://evil.example/auth',
      token_endpoint: `${issuer}/token`,
    };
    other.studio.script('discovery', { json: foreign });
    assert.equal(await at('/console/auth/sign-in'), 'studio_refused');
    for (const endpoint of [undefined, 7, '', 'not an address']) {
      other.studio.script('discovery', { json: { ...foreign, authorization_endpoint: endpoint } });
      assert.equal(await at('/console/auth/sign-in'), 'studio_refused', String(endpoint));
    }
  });

  test('signing out ends the session, forgets the cookie, and tells where to leave the studio', async () => {
    const jar = new CookieJar();
    await signIn(jar, 'stu_out');
    const token = jar.get(cookieName) ?? '';
    const answer = await visit(jar, '/console/api/sign-out', { method: 'POST', headers: fromConsole });
    assert.equal(answer.status, 200, answer.text);
    const address = new URL(answer.body['studio_sign_out_url'] as string);
    assert.equal(address.origin + address.pathname, `${service.studio.url}/oidc/session/end`);
    assert.equal(address.searchParams.get('post_logout_redirect_uri'), `${publicUrl}/console/signed-out`);
    assert.equal(address.searchParams.get('client_id'), 'service');
    assert.equal(jar.get(cookieName), undefined);
    jar.set(cookieName, token);
    assert.equal(await signedInAs(jar), undefined);
  });

  test('one console key per account, however many sign in at once', async () => {
    const jars = Array.from({ length: 12 }, () => new CookieJar());
    await Promise.all(jars.map((jar) => signIn(jar, 'stu_crowd')));
    const keys = await service.database.rows<{ id: string; kind: string; name: string }>(
      `select k.id, k.kind, k.name from api_keys k join accounts a on a.id = k.account_id
        where a.studio_account_id = 'stu_crowd'`,
    );
    assert.deepEqual(
      keys.map(({ kind, name }) => [kind, name]),
      [['console', 'Console']],
    );
    for (const jar of jars) assert.equal(await signedInAs(jar), 'stu_crowd@example.org');
  });

  test('a deleted account has no session, and none of the old ones after it is connected again', async () => {
    const jar = new CookieJar();
    await signIn(jar, 'stu_gone');
    const { id } = (await whoIs(jar)).body['account'] as { id: string };
    await deleteAccount(service.database, id);
    assertProblem(await whoIs(jar), 'unauthorized', 'deleted');
    const anew = new CookieJar();
    await signIn(anew, 'stu_gone');
    assert.equal(await signedInAs(anew), 'stu_gone@example.org');
    assertProblem(await whoIs(jar), 'unauthorized', 'connected again');
    assert.deepEqual(await listKeys(service.database, id), []);
  });

  test('no log line holds a code, a token or a cookie', async () => {
    const jar = new CookieJar();
    const begun = await begin(jar);
    const back = service.studio.issuer.agree(begun, 'stu_logged', { claims: { nonce: 'another' } });
    await comeBack(jar, back);
    await signIn(jar, 'stu_logged');
    const asked = new URL(begun).searchParams;
    const secrets = [
      back.searchParams.get('code'),
      asked.get('state'),
      asked.get('nonce'),
      jar.get(cookieName),
      ...jar.lines.map((line) => line.split(/[=;]/)[1]),
    ];
    const logged = service.logged.join('');
    assert.match(logged, /signing in failed/);
    for (const secret of secrets)
      if (secret !== undefined && secret !== null && secret.length > 8)
        assert.ok(!logged.includes(secret), secret);
  });
});
