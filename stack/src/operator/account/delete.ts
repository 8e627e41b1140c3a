import * as service from '@renderkit/service/operator.ts';
import * as studio from '@renderkit/studio/operator.ts';
import { accountInService } from '../../connect-to-service.ts';
import { command, done } from '../command.ts';
import { email, required } from '../option.ts';

/**
 * Texts and media are erased later, by `service/src/operator/erase-accounts.ts` and
 * `studio/src/accounts/erase-account.ts`.
 */
export const deleteAccount = command({
  words: 'account delete',
  about:
    'Revokes the keys, cancels what is queued, and erases texts and media; the ledger stays, without a name.',
  options: { email: required(email) },
  run: async ({ open }, values) => {
    const databases = await open();
    const { id } = await studio.showAccount(databases.studio, values.email);
    // Deletes the service's account first: once the studio has removed the address, an interrupted command could not be
    // repeated.
    const accountId = await accountInService(databases, values.email);
    if (accountId !== undefined) await service.deleteAccount(databases.service, accountId);
    await studio.deleteAccount(databases.studio, values.email);
    return done({ email: values.email, id, deleted: true }, 'The account is deleted.');
  },
});
