import { statSync } from 'node:fs';
import { RenderkitError } from 'renderkit';
import { command } from '../command.ts';
import { chooseConnection } from '../config.ts';
import { CliError } from '../cli-error.ts';
import { failureOf } from '../failure.ts';
import { table } from '../table.ts';
import type { Session } from '../session.ts';

const maxClockSkewSeconds = 60;
const streamWaitMs = 10_000;

type Finding = { what: string; ok: boolean; found: string; advice?: string };

export const doctor = command({
  usage: '',
  about: 'Looks for what is wrong between here and the service: address, key, clock, streams, credits.',
  options: {},
  run: async (session) => {
    const findings: Finding[] = [];
    for (const check of checks) findings.push(...(await tried(check, session)));
    session.output.result(findings, [], () =>
      table(
        findings.map(({ ok, what, found, advice }) => [
          ok ? 'ok' : 'BAD',
          what,
          advice === undefined ? found : `${found} ${advice}`,
        ]),
      ),
    );
    const bad = findings.filter(({ ok }) => !ok);
    if (bad.length > 0)
      throw new CliError(`${bad.length} of ${findings.length} checks found something.`, {
        code: 'unhealthy',
      });
  },
});

type Check = { what: string; look: (session: Session) => Promise<Finding[] | Finding> | Finding[] };

async function tried({ what, look }: Check, session: Session): Promise<Finding[]> {
  try {
    return [await look(session)].flat();
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    const { message, advice } = failure;
    return [{ what, ok: false, found: message, ...(advice !== undefined && { advice }) }];
  }
}

const good = (what: string, found: string): Finding => ({ what, ok: true, found });

const checks: Check[] = [
  {
    what: 'address',
    look: ({ environment, values }) => {
      const { baseUrl, from } = chooseConnection(environment, values);
      const isPlain = baseUrl.startsWith('http://') && !/^http:\/\/(127\.|localhost|\[::1\])/.test(baseUrl);
      return [
        good('address', `${baseUrl}, key of ${from}`),
        ...(isPlain
          ? [{ what: 'encryption', ok: false, found: 'The key travels in the clear.', advice: 'Use https.' }]
          : []),
      ];
    },
  },
  { what: 'settings', look: ({ environment }) => settingsOf(environment.configFile) },
  { what: 'key', look: keyAndClock },
  {
    what: 'credits',
    look: async ({ client }) => {
      const { balance } = await client.account.balance();
      return balance > 0
        ? good('credits', String(balance))
        : {
            what: 'credits',
            ok: false,
            found: 'none are left.',
            advice: 'Wait for the next refill, or buy some.',
          };
    },
  },
  {
    what: 'models',
    look: async ({ client }) => {
      const { data } = await client.models.list();
      return data.length > 0
        ? good('models', `${data.length}`)
        : { what: 'models', ok: false, found: 'the plan has none.', advice: 'Ask the operator for one.' };
    },
  },
  { what: 'streams', look: streamPasses },
];

function settingsOf(file: string): Finding[] {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || process.platform === 'win32') return [];
  return (mode & 0o077) === 0
    ? [good('settings', file)]
    : [{ what: 'settings', ok: false, found: `${file} can be read by others.`, advice: `chmod 600 ${file}` }];
}

async function keyAndClock({ client }: Session): Promise<Finding[]> {
  const { data: key, response } = await client.account.key().withResponse();
  const findings = [good('key', `${key.name}: ${key.scopes.join(' ')}`)];
  const budget = key.daily_budget;
  if (budget !== null && budget.left <= 0)
    findings.push({
      what: 'budget',
      ok: false,
      found: 'used up today.',
      advice: `It begins anew at ${budget.resets_at}.`,
    });
  const served = Date.parse(response.headers.get('date') ?? '');
  const skew = Math.round((Date.now() - served) / 1000);
  if (Math.abs(skew) > maxClockSkewSeconds)
    findings.push({
      what: 'clock',
      ok: false,
      found: `${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the service.`,
      advice: 'Signatures of webhooks are refused beyond 300 s: set the clock.',
    });
  else findings.push(good('clock', `${skew} s`));
  return findings;
}

/** Checks whether streams get through. A proxy that buffers responses lets no stream begin. */
async function streamPasses({ client }: Session): Promise<Finding> {
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(), streamWaitMs);
  let isOpen = false;
  try {
    const stream = client.events.stream({
      signal: leaving.signal,
      onOpen: () => {
        isOpen = true;
        leaving.abort();
      },
    });
    await stream.next();
  } catch (error) {
    if (!RenderkitError.is(error) || error.code !== 'aborted') throw error;
  } finally {
    clearTimeout(timer);
  }
  return isOpen
    ? good('streams', 'events come as they happen')
    : {
        what: 'streams',
        ok: false,
        found: 'nothing came.',
        advice:
          'A proxy may collect answers: let text/event-stream through unbuffered. Until then progress is asked for.',
      };
}
