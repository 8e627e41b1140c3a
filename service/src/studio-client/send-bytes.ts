import type { StudioAnswer, StudioOperationId, StudioQuery } from '@renderkit/contract/studio/operations.ts';
import { createCallLimiter } from './call-limiter.ts';
import { readAnswer } from './check-answer.ts';
import type { Connections } from './connection.ts';
import { type Exchange, type Parts, send } from './exchange.ts';
import { StudioFailure } from './studio-failure.ts';

/** Files of one account on their way to the studio at once, from this process. */
const uploadsPerAccount = 4;
/** Milliseconds within which the studio takes a piece of a file, and says what it makes of the whole. */
const uploadTimeoutMs = 30_000;

/** The operations whose body is a file, and what is asked before it: of that the session's renewal may come of. */
type BytesOperation = 'storeUpload' | 'importModel';
const asksFirst: { [Id in BytesOperation]: (parts: Parts) => [StudioOperationId, Partial<Parts>] } = {
  storeUpload: ({ params }) => ['lookUpUploads', { body: { tokens: [params?.['token'] ?? ''] } }],
  importModel: () => ['getAdministration', {}],
};

type BytesToSend = Pick<Parts, 'accountId' | 'params' | 'query' | 'headers' | 'signal' | 'timeoutMs'> & {
  accountId: string;
  /** Called when the studio is known to let the account in. */
  body: () => AsyncIterable<Uint8Array>;
};

/** Sends files as they come, never whole in memory. Both throw StudioFailure, and whatever the body throws. */
export type BytesSender = {
  sendBytes: <Id extends BytesOperation>(operation: Id, file: BytesToSend) => Promise<StudioAnswer<Id>>;
  /** A file to be kept, under its token. */
  storeUpload: (
    file: Omit<BytesToSend, 'params'> & { token: string; query: StudioQuery<'storeUpload'> },
  ) => Promise<StudioAnswer<'storeUpload'>>;
};

/** Files have connections and a limiter of their own: a slow one holds up no call of its account. */
export function createSendBytes(options: {
  exchange: Exchange;
  connections: Pick<Connections, 'accessToken'>;
  perform: (operation: StudioOperationId, parts: Parts) => Promise<unknown>;
  origin: string;
}): BytesSender {
  const limiter = createCallLimiter(uploadsPerAccount);
  const sendBytes: BytesSender['sendBytes'] = async (operation, { body, ...parts }) => {
    const { accountId, params, signal } = parts;
    using _ = await limiter.enter(accountId, { waitMs: uploadTimeoutMs, signal });
    // A stream cannot be sent twice: whether the session holds is found out by what can.
    const [look, more] = asksFirst[operation](parts);
    await options.perform(look, { accountId, signal, ...more });
    const bearer = await options.connections.accessToken(accountId);
    const headers = { authorization: `Bearer ${bearer.token}` };
    const sent = { ...parts, bytes: body() };
    const reply = await send(options.exchange, operation, sent, headers, uploadTimeoutMs).catch(lateRefusal);
    return readAnswer(operation, reply.body, { params }, options.origin);
  };
  return {
    sendBytes,
    storeUpload: ({ token, ...file }) => sendBytes('storeUpload', { ...file, params: { token } }),
  };
}

/** The session ended between the look and the file: the sender may simply come again. */
function lateRefusal(error: unknown): never {
  if (error instanceof StudioFailure && error.studioCode === 'invalid_token')
    throw new StudioFailure('unavailable', error.message, {
      maybeSent: true,
      retryAfterSeconds: 1,
      cause: error,
    });
  throw error;
}
