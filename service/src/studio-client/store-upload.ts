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

/**
 * Sends a file as it comes, never whole in memory. `body` is called when the studio is known to let the account in.
 * @throws StudioFailure, and whatever the body throws
 */
export type StoreUpload = (upload: {
  accountId: string;
  token: string;
  query: StudioQuery<'storeUpload'>;
  body: () => AsyncIterable<Uint8Array>;
  signal?: AbortSignal;
}) => Promise<StudioAnswer<'storeUpload'>>;

/** Files have connections and a limiter of their own: a slow one holds up no call of its account. */
export function createStoreUpload(options: {
  exchange: Exchange;
  connections: Pick<Connections, 'accessToken'>;
  perform: (operation: StudioOperationId, parts: Parts) => Promise<unknown>;
  origin: string;
}): StoreUpload {
  const limiter = createCallLimiter(uploadsPerAccount);
  return async ({ body, accountId, token, query, signal }) => {
    const parts: Parts = { accountId, params: { token }, query, signal };
    const release = await limiter.enter(accountId, {
      waitMs: uploadTimeoutMs,
      ...(signal !== undefined && { signal }),
    });
    try {
      // A stream cannot be sent twice: whether the session holds is found out by what can.
      await options.perform('lookUpUploads', { accountId, signal, body: { tokens: [token] } });
      const bearer = await options.connections.accessToken(accountId);
      const headers = { authorization: `Bearer ${bearer.token}` };
      const sent = { ...parts, bytes: body() };
      const reply = await send(options.exchange, 'storeUpload', sent, headers, uploadTimeoutMs).catch(
        lateRefusal,
      );
      return readAnswer('storeUpload', reply.body, { params: { token } }, options.origin);
    } finally {
      release();
    }
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
