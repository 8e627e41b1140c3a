import type { StudioClient } from '../../studio-client/studio-client.ts';
import type { Settlement } from '../settle/settlement.ts';

/** How many tokens the studio's contract allows in one look-up. */
const tokensPerCall = 200;

export type AskRenders = (
  accountId: string,
  tokens: readonly string[],
  signal?: AbortSignal,
) => Promise<Set<string>>;

/**
 * Returns a function that looks up an account's renders by their tokens at the studio and applies the reports. The
 * function returns the tokens that the studio does not know.
 * @throws StudioFailure
 */
export function createAskRenders(options: {
  studioClient: Pick<StudioClient, 'call'>;
  settlement: Settlement;
}): AskRenders {
  return async (accountId, tokens, signal) => {
    const unknown = new Set(tokens);
    for (let i = 0; i < tokens.length; i += tokensPerCall) {
      const { renders } = await options.studioClient.call('lookUpRenders', {
        accountId,
        ...(signal !== undefined && { signal }),
        body: { tokens: tokens.slice(i, i + tokensPerCall) },
      });
      const asked = renders.filter(({ token }) => unknown.delete(token));
      await options.settlement.apply(asked.map((render) => ({ accountId, render })));
    }
    return unknown;
  };
}
