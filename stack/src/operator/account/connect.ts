import { connectToService } from '../../connect-to-service.ts';
import { command, done } from '../command.ts';
import { email, required } from '../option.ts';

export const connectAccount = command({
  words: 'account connect',
  about: 'Connects the account to the service, anew if it was before.',
  options: { email: required(email) },
  run: async ({ open }, values) => {
    const { accountId } = await connectToService(await open(), values.email);
    return done({ email: values.email, account_id: accountId }, 'The account is connected.');
  },
});
