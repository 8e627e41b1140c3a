import type { StudioAnswer, StudioOperationId, StudioQuery } from '@renderkit/contract/studio/operations.ts';
import { createCallLimiter } from './call-limiter.ts';
import { readAnswer } from './check-answer.ts';
import type { Connections } from './connection.ts';
import { type Exchange, type Parts, send } from './exchange.ts';
import { StudioFailure } from './studio-failure.ts';

/** The most files of one account that this process sends to the studio at once. */
const uploadsPerAccount = 4;
/** The studio must accept each piece of a file, and answer after the whole file, within this time. Milliseconds. */
const uploadTimeoutMs = 30_000;

/**
 * The operations whose body is a file, each with a call that is made before. That call renews the session if necessary.
 */
type BytesOperation = 'storeUpload' | 'importModel';
const asksFirst: { [Id in BytesOperation]: (parts: Parts) => [StudioOperationId, Partial<Parts>] } = {
  storeUpload: ({ params }) => ['lookUpUploads', { body: { tokens: [params?.['token'] ?? ''] } }],
  importModel: () => ['getAdministration', {}],
};

type BytesToSend = Pick<Parts, 'accountId' | 'params' | 'query' | 'headers' | 'signal' | 'timeoutMs'> & {
  accountId: string;
  /** Called after the studio has accepted the account's token. */
  body: () => AsyncIterable<Uint8Array>;
};

/**
 * Streams files, never holding a whole file in memory. Both functions throw StudioFailure, and the errors of the body.
 */
export type BytesSender = {
  sendBytes: <Id extends BytesOperation>(operation: Id, file: BytesToSend) => Promise<StudioAnswer<Id>>;
  /** Sends a file to store under its token. */
  storeUpload: (
    file: Omit<BytesToSend, 'params'> & { token: string; query: StudioQuery<'storeUpload'> },
  ) => Promise<StudioAnswer<'storeUpload'>>;
};

/** Files have their own connections and limiter, so that a slow file delays no other call of its account. */
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
    // A stream cannot be sent twice, so a repeatable call checks the session first.
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

/** Reports a session that ended between the check and the file as temporary: the sender may simply retry. */
function lateRefusal(error: unknown): never {
  if (error instanceof StudioFailure && error.studioCode === 'invalid_token')
    throw new StudioFailure('unavailable', error.message, {
      maybeSent: true,
      retryAfterSeconds: 1,
      cause: error,
    });
  throw error;
}
