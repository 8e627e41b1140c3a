import {
  type Delivery,
  type DeliveryAttempt,
  deliveryStatuses,
} from '@renderkit/contract/console/schemas/delivery.ts';
import * as service from '@renderkit/service/operator.ts';
import { accountInService } from '../connect-to-service.ts';
import { command, type Command, done } from './command.ts';
import { choice, email, required, text, time, wholeNumber } from './option.ts';

/** `service/src/webhooks/deliveries/resend-delivery.ts` decides what is sent again. */
export const deliveriesCommands: Command[] = [
  command({
    words: 'deliveries list',
    about: 'Lists deliveries to the webhook endpoints of an account, newest first: 100, or --limit of them.',
    options: {
      email: required(email),
      endpoint: text('ID'),
      status: choice(deliveryStatuses),
      limit: wholeNumber({ min: 1, max: service.maxListedDeliveries }),
      page: wholeNumber({ min: 1, max: 1_000_000 }),
    },
    run: async ({ open }, values) => {
      const databases = await open();
      const accountId = await accountInService(databases, values.email);
      const found =
        accountId === undefined
          ? []
          : await service.listDeliveries(databases.service, {
              accountId,
              endpointId: values.endpoint,
              status: values.status,
              limit: values.limit,
              page: values.page,
            });
      return {
        data: found.map(withoutObject),
        lines: found.length === 0 ? ['There are no deliveries.'] : found.map(lineOf),
      };
    },
  }),
  command({
    words: 'deliveries show',
    about: 'Shows a delivery with every attempt and how the receiver answered.',
    options: { id: required(text('ID')) },
    run: async ({ open }, { id }) => {
      const { delivery, history, body } = await service.showDelivery((await open()).service, id);
      return {
        data: { ...withoutObject(delivery), body, attempt_history: history },
        lines: [lineOf(delivery), body, ...history.flatMap(linesOfAttempt)],
      };
    },
  }),
  command({
    words: 'deliveries resend',
    about: 'Sends a delivery once more, at once; its schedule stays as it is.',
    options: { id: required(text('ID')) },
    run: async ({ open }, { id }) => {
      await service.resendDelivery((await open()).service, id);
      return done({ id, resent: true }, 'It is sent once more, if the service runs.');
    },
  }),
  command({
    words: 'deliveries recover',
    about:
      'Sends everything but pings once more that failed at an endpoint since TIME, such as 2026-11-21T08:00Z.',
    options: { endpoint: required(text('ID')), since: required(time) },
    run: async ({ open }, values) => {
      const resent = await service.recoverDeliveries((await open()).service, values.endpoint, values.since);
      return done(
        { endpoint: values.endpoint, since: values.since, resent },
        `${resent} failed deliveries are sent once more, if the service runs.`,
      );
    },
  }),
];

/** The answers of operators' commands contain no `object`. */
function withoutObject({ object: _object, ...delivery }: Delivery): Omit<Delivery, 'object'> {
  return delivery;
}

function lineOf(delivery: Delivery): string {
  const { id, status, attempts, url } = delivery;
  const last = delivery.last_failure ?? delivery.last_status ?? '-';
  return `${id}  ${delivery.created_at}  ${status.padEnd(9)}  ${delivery.event_type}  attempts ${attempts}  last ${last}  ${url}`;
}

function linesOfAttempt(attempt: DeliveryAttempt): string[] {
  const what = attempt.number === null ? 'extra attempt' : `attempt ${attempt.number}`;
  const outcome = [attempt.status, attempt.failure].filter((part) => part !== null).join(' ');
  const end = attempt.ended_at === null ? 'under way' : `${outcome} after ${attempt.duration_ms ?? '?'} ms`;
  // A receiver chooses these bytes: none of them may control the terminal.
  const answer = attempt.answer?.replaceAll(/[^\P{C}\n]/gu, '·');
  return [
    `${attempt.started_at}  ${what}: ${end}`,
    ...(answer ? [`    ${answer.replaceAll('\n', '\n    ')}`] : []),
  ];
}
