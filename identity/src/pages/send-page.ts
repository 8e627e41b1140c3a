import type { FastifyReply } from 'fastify';
import { type ClientFacts, type Page, pageHeaders, writePage } from './page.ts';

/** A page, or an address to go to. */
export type Answer = { page: Page; status?: number; retryAfterSeconds?: number } | { goTo: string };

export type SendPage = (reply: FastifyReply, answer: Answer) => FastifyReply;

/** Creates the function that sends answers. `publicUrl` is the studio's address for browsers. */
export function createSendPage(client: ClientFacts, publicUrl: string): SendPage {
  const headers = pageHeaders(client);
  const { host } = new URL(publicUrl);
  return (reply, answer) => {
    reply.headers(headers);
    if ('goTo' in answer) return reply.redirect(answer.goTo, 303);
    if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', answer.retryAfterSeconds);
    return reply.code(answer.status ?? 200).send(writePage(answer.page, host));
  };
}
