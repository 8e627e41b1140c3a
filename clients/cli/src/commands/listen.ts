import type { AccountEvent } from 'renderkit';
import { millisecondsOf } from '../amounts.ts';
import { command } from '../command.ts';
import { UsageError } from '../cli-error.ts';
import { checkedSecret, deliver, deliveryText, targetOf } from '../forward-event.ts';
import type { Session } from '../session.ts';

/** Event types that webhooks deliver, as in `contract/v1/event-types.ts`. */
const webhookTypes = [
  'generation.succeeded',
  'generation.failed',
  'upload.ready',
  'upload.rejected',
] as const satisfies readonly AccountEvent['type'][];
/** Event types of the stream, including those that webhooks do not deliver. */
const streamTypes = [
  ...webhookTypes,
  'generation.created',
  'generation.running',
  'generation.canceled',
] as const satisfies readonly AccountEvent['type'][];

const placeOptions = {
  types: { form: 'TYPES', about: 'only these, with commas between them' },
  after: { form: 'EVENT', about: 'begin after this event of the last 7 days' },
  since: { form: 'TIME', about: 'begin with what happened so long ago, as 1h' },
} as const;

export const tail = command({
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
    events: { form: 'TYPES', about: 'the same as --types, as other programs have it' },
    ...placeOptions,
    secret: {
      form: 'SECRET',
      about: 'sign with this one, whsec_…; with the one of the profile when left out',
    },
    'print-secret': { about: 'show the secret of the profile and end' },
  },
  run: async (session, _words, values) => {
    const { output } = session;
    const secret = checkedSecret(session, values.secret);
    if (values['print-secret'] === true) return output.result({ secret }, [secret], () => [secret]);
    const url = targetOf(values['forward-to']);
    if (values.secret === undefined)
      output.note(`Deliveries are signed with ${secret}, now and the next time.`);
    const chosen = { ...values, types: values.types ?? values.events };
    for await (const event of eventsOf(session, chosen, webhookTypes)) {
      const outcome = await deliver(url, event, secret);
      if (output.isJson)
        output.json({ event: event.id, type: event.type, subject: event.data.id, ...outcome });
      else output.result(event, [event.id], () => [deliveryText(url, event, outcome)]);
    }
  },
});

async function* eventsOf(
  session: Session,
  values: { types?: string | undefined; after?: string; since?: string },
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
