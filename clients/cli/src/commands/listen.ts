import { createHmac, randomBytes } from 'node:crypto';
import type { AccountEvent } from 'renderkit';
import { millisecondsOf } from '../amounts.ts';
import { command } from '../command.ts';
import { nameOfProfile, readConfig, writeConfig } from '../config.ts';
import { UsageError } from '../cli-error.ts';
import type { Session } from '../session.ts';

/** What webhooks are told of. */
const webhookTypes = [
  'generation.succeeded',
  'generation.failed',
  'upload.ready',
  'upload.rejected',
] as const satisfies readonly AccountEvent['type'][];
/** What the stream alone tells. */
const streamTypes = [
  ...webhookTypes,
  'generation.created',
  'generation.running',
  'generation.canceled',
] as const satisfies readonly AccountEvent['type'][];

/** As long as a webhook may take (docs/api.md §6). */
const forwardTimeoutMs = 10_000;

const placeOptions = {
  types: { form: 'TYPES', about: 'only these, with commas between them' },
  after: { form: 'EVENT', about: 'begin after this event of the last 7 days' },
  since: { form: 'TIME', about: 'begin with what happened so long ago, as 1h' },
} as const;

export const events = command({
  usage: '',
  about: 'Shows what happens on the account, a line for each event; JSON where no terminal reads it.',
  options: placeOptions,
  run: async (session, _words, values) => {
    for await (const event of eventsOf(session, values, streamTypes)) showEvent(session, event);
  },
});

export const listen = command({
  usage: '--forward-to URL',
  about:
    'Hands events on to a program of yours as webhooks would: the same body and headers, signed. It needs no endpoint and no tunnel, and goes on after a break where it was.',
  options: {
    'forward-to': { form: 'URL', about: 'where to send them' },
    ...placeOptions,
    secret: {
      form: 'SECRET',
      about: 'sign with this one, whsec_…; with the one of the profile when left out',
    },
    'print-secret': { about: 'show the secret of the profile and end' },
  },
  run: async (session, _words, values) => {
    const { output } = session;
    const secret = values.secret ?? profileSecret(session);
    if (!secret.startsWith('whsec_')) throw new UsageError('--secret begins with whsec_.');
    if (values['print-secret'] === true) return output.result({ secret }, [secret], () => [secret]);
    const url = targetOf(values['forward-to']);
    if (values.secret === undefined)
      output.note(`Deliveries are signed with ${secret}, now and the next time.`);
    for await (const event of eventsOf(session, values, webhookTypes)) {
      const outcome = await forward(url, event, secret);
      if (output.isJson)
        output.json({ event: event.id, type: event.type, subject: event.data.id, ...outcome });
      else
        output.result(event, [event.id], () => [
          `${outcome.status ?? 'no answer'} POST ${url.pathname} ${event.type} ${event.data.id} ${outcome.ms} ms${
            outcome.error === undefined ? '' : `: ${outcome.error}`
          }`,
        ]);
    }
  },
});

function targetOf(text: string | undefined): URL {
  const url = text === undefined || !URL.canParse(text) ? undefined : new URL(text);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      'Say where to send them.',
      'As: renderkit listen --forward-to http://127.0.0.1:3000/hook',
    );
  return url;
}

/** The secret of the profile: made once, so that the program that checks signatures need not be told again. */
function profileSecret({ environment, values }: Session): string {
  const config = readConfig(environment.configFile);
  const secrets = (config.webhook_secrets ??= {});
  const name = nameOfProfile(environment, values, config);
  const known = secrets[name];
  if (known !== undefined) return known;
  const made = `whsec_${randomBytes(24).toString('base64url')}`;
  secrets[name] = made;
  writeConfig(environment.configFile, config);
  return made;
}

async function* eventsOf(
  session: Session,
  values: { types?: string; after?: string; since?: string },
  byDefault: readonly AccountEvent['type'][],
): AsyncGenerator<AccountEvent> {
  const { client, output } = session;
  const types = values.types === undefined ? byDefault : typesOf(values.types);
  let { after } = values;
  if (values.since !== undefined) {
    const from = Date.now() - millisecondsOf(values.since, 'since');
    for await (const event of client.events.list({ types, after, limit: 100 })) {
      after = event.id;
      if (Date.parse(event.created_at) >= from) yield event;
    }
  }
  yield* client.events.stream({
    types,
    after,
    onOpen: () => output.note(output.faint('Listening.')),
    onBreak: () => output.note(output.faint('The connection broke; it goes on in a moment.')),
  });
}

function typesOf(text: string): AccountEvent['type'][] {
  return text.split(',').map((name) => {
    const type = streamTypes.find((one) => one === name.trim());
    if (type === undefined)
      throw new UsageError(
        `There is no event ${JSON.stringify(name)}.`,
        `There are ${streamTypes.join(', ')}.`,
      );
    return type;
  });
}

function showEvent({ output }: Session, event: AccountEvent): void {
  output.result(event, [event.id], () => [`${event.created_at}  ${event.type}  ${event.data.id}`]);
}

type Outcome = { status?: number; error?: string; ms: number };

/** One delivery, with the headers of docs/api.md §6. Its failure is told and not repeated. */
async function forward(url: URL, event: AccountEvent, secret: string): Promise<Outcome> {
  const body = JSON.stringify(event);
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  const begun = performance.now();
  const ms = () => Math.round(performance.now() - begun);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardTimeoutMs),
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service-API-Webhooks/1.0',
        'Service-Event': event.type,
        'Service-Delivery': event.id.replace(/^evt_/, 'dlv_'),
        'Service-Signature': `t=${time},v1=${signature}`,
      },
      body,
    });
    await answer.body?.cancel();
    return { status: answer.status, ms: ms() };
  } catch (error) {
    const { cause, message } = error as Error;
    return { error: cause instanceof Error ? cause.message : message, ms: ms() };
  }
}
