import { sampleEvent, sampleEventTypes } from 'renderkit/testing';
import { pairsOf } from '../amounts.ts';
import { command } from '../command.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { checkedSecret, deliver, deliveryHeaders, deliveryText, targetOf } from '../forward-event.ts';

export const trigger = command({
  usage: sampleEventTypes.join('|'),
  about:
    'Makes up an event, signed as a webhook is, and hands it to a program of yours; without --forward-to it is shown. Nothing is generated and no key is needed.',
  options: {
    'forward-to': { form: 'URL', about: 'where to send it' },
    data: {
      form: 'KEY=VALUE',
      about: 'a field of its object: status=failed, metadata.order=7; JSON is taken as such',
      multiple: true,
    },
    secret: {
      form: 'SECRET',
      about: 'sign with this one, whsec_…; with the one of the profile when left out',
    },
  },
  run: async (session, [name], values) => {
    const { output } = session;
    const type = sampleEventTypes.find((one) => one === name);
    if (type === undefined)
      throw new UsageError('Name the event.', `There are ${sampleEventTypes.join(', ')}.`);
    const event = sampleEvent(type);
    for (const [path, value] of Object.entries(pairsOf(values.data ?? [], 'data')))
      setField(event.data, path.split('.'), valueOf(value));
    const secret = checkedSecret(session, values.secret);
    if (values['forward-to'] === undefined) {
      const body = JSON.stringify(event);
      const headers = deliveryHeaders(event, body, secret);
      return output.result({ headers, body }, [event.id], () => [
        ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
        '',
        body,
      ]);
    }
    const url = targetOf(values['forward-to']);
    const outcome = await deliver(url, event, secret);
    output.result({ event: event.id, type, ...outcome }, [event.id], () => [
      deliveryText(url, event, outcome),
    ]);
    if (outcome.status === undefined || outcome.status < 200 || outcome.status >= 300)
      throw new CliError('The program did not take it: a webhook would come again.', {
        code: 'not_delivered',
      });
  },
});

/**
 * Sets a field by its path and creates missing objects on the way.
 *
 * @throws UsageError when a value on the way is not an object
 */
function setField(target: object, path: string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (first === '' || first === '__proto__') throw new UsageError(`--data has no field ${path.join('.')}.`);
  const fields = target as Record<string, unknown>;
  if (rest.length === 0) {
    fields[first] = value;
    return;
  }
  const inner = (fields[first] ??= {});
  if (typeof inner !== 'object' || inner === null) throw new UsageError(`--data: ${first} is no object.`);
  // Copies the object before changing it, because samples are shared.
  const copy = { ...inner };
  fields[first] = copy;
  setField(copy, rest, value);
}

/** Parses numbers, booleans, lists and objects as JSON. Any other text stays a string. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
