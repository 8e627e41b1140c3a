import * as studio from '@renderkit/studio/operator.ts';
import { command } from '../command.ts';
import { email, millicredits, required, storageMegabytes, text, trueOrFalse } from '../option.ts';
import { accountAnswer } from './present-account.ts';

/** The settings are changed by `studio/src/accounts/set-account.ts`. */
export const setAccount = command({
  words: 'account set',
  about:
    'Changes what is named. --credits N is booked in the ledger as an adjustment; --storage-mb N goes before the plan, until it is set to plan.',
  options: {
    email: required(email),
    password: text('P'),
    credits: millicredits,
    tier: text('KEY'),
    suspended: trueOrFalse,
    'email-verified': trueOrFalse,
    'region-blocked': trueOrFalse,
    'age-verified': trueOrFalse,
    administrator: trueOrFalse,
    'storage-mb': storageMegabytes,
  },
  run: async ({ open }, values) => {
    const settings = {
      password: values.password,
      creditsMillicredits: values.credits,
      tier: values.tier,
      suspended: values.suspended,
      emailVerified: values['email-verified'],
      regionBlocked: values['region-blocked'],
      ageVerified: values['age-verified'],
      administrator: values.administrator,
    };
    const storageBytes = values['storage-mb'];
    return accountAnswer(
      await studio.setAccount((await open()).studio, values.email, {
        ...definedOf(settings),
        // `null` is a value too.
        ...(storageBytes !== undefined && { storageBytes }),
      }),
    );
  },
});

/** Returns the settings without the names that were not given; their values do not change. */
function definedOf<Settings extends object>(
  settings: Settings,
): { [Name in keyof Settings]?: NonNullable<Settings[Name]> } {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Settings]?: NonNullable<Settings[Name]> };
}
