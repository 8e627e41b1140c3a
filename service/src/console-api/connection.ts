import type { Connection, connectionStates } from '@renderkit/contract/console/schemas/connection.ts';
import { type Handlers, RawReply } from '../handler.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { ConsoleHandlers } from './console-handler.ts';

type GetAccount = Handlers['getAccount'];

/** How the connection to the studio stands, found out by asking the studio for the account. */
export function connectionHandlers(deps: {
  getAccount: GetAccount;
  studioPublicUrl: string;
}): Pick<ConsoleHandlers, 'getConnection'> {
  return {
    getConnection: async (request) => {
      const { studioId, studioAccountId } = request.principal.account;
      const studio = { id: studioId, url: deps.studioPublicUrl, account_id: studioAccountId };
      return { object: 'connection', studio, ...(await ask(deps.getAccount, request)) };
    },
  };
}

const stateOfRefusal: Partial<Record<ApiProblem['code'], (typeof connectionStates)[number]>> = {
  connection_expired: 'expired',
  upstream_unavailable: 'unreachable',
  upstream_error: 'unreachable',
  rate_limited: 'unreachable',
};

async function ask(
  getAccount: GetAccount,
  request: Pick<Parameters<GetAccount>[0], 'principal' | 'requestId' | 'log' | 'signal'>,
): Promise<Pick<Connection, 'state' | 'account'>> {
  const { principal, requestId, log, signal } = request;
  try {
    const account = await getAccount({
      params: {},
      query: {},
      body: {},
      principal,
      requestId,
      log,
      signal,
      idempotencyKey: undefined,
      form: undefined,
      method: 'GET',
      path: '/v1/account',
    });
    if (account instanceof RawReply) throw new Error('an account is answered as an object, never as a text');
    return { state: 'live', account };
  } catch (error) {
    const state = error instanceof ApiProblem ? stateOfRefusal[error.code] : undefined;
    if (state === undefined) throw error;
    return { state, account: null };
  }
}
