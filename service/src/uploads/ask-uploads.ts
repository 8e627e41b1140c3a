import type { StudioClient } from '../studio-client/studio-client.ts';
import { endOf, type UploadEnd } from './record-outcomes.ts';

/** Tokens in one look-up; the studio's contract takes no more. */
const tokensPerCall = 200;

/** Ends uploads, with the generations that wait for them, in one transaction. What has ended before stays as it is. */
export type SettleUploads = (ends: readonly UploadEnd[]) => Promise<void>;

export type AskUploads = (accountId: string, ids: readonly string[], signal?: AbortSignal) => Promise<void>;

/** Makes the verb that asks the studio about an account's uploads and applies what it says. @throws StudioFailure */
export function createAskUploads(options: {
  studioClient: Pick<StudioClient, 'call'>;
  settle: SettleUploads;
}): AskUploads {
  return async (accountId, ids, signal) => {
    for (let i = 0; i < ids.length; i += tokensPerCall) {
      const { uploads } = await options.studioClient.call('lookUpUploads', {
        accountId,
        ...(signal !== undefined && { signal }),
        body: { tokens: ids.slice(i, i + tokensPerCall) },
      });
      const ends = uploads.flatMap((upload) => endOf(accountId, upload) ?? []);
      if (ends.length > 0) await options.settle(ends);
    }
  };
}
