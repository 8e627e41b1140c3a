import * as studio from '@renderkit/studio/operator.ts';
import { connectToService } from '../../connect-to-service.ts';
import { command } from '../command.ts';
import { email, millicredits, required, text } from '../option.ts';
import { accountAnswer } from './present-account.ts';

/** The account is created by `studio/src/accounts/create-account.ts`. */
export const createAccount = command({
  words: 'account create',
  about:
    "Makes a studio account and connects it. Without --password it has a generated one, shown this once. --credits N: exactly N until the next renewal; else the plan's allowance.",
  options: { email: required(email), password: text('P'), tier: text('KEY'), credits: millicredits },
  run: async ({ open }, values) => {
    const databases = await open();
    const password = values.password ?? studio.generatePassword();
    const account = await studio.createAccount(databases.studio, {
      email: values.email,
      password,
      ...(values.tier !== undefined && { tier: values.tier }),
      ...(values.credits !== undefined && { creditsMillicredits: values.credits }),
    });
    await connectToService(databases, values.email);
    const { data, lines } = accountAnswer(account);
    if (values.password !== undefined) return { data, lines };
    return {
      data: { ...data, password },
      lines: [
        ...lines,
        `${'password'.padEnd(16)} ${password}`,
        '',
        'The password is stored nowhere: keep it now. It signs in to the console, and can be changed there.',
      ],
    };
  },
});
