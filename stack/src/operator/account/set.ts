import { tiers } from '@renderkit/studio/catalog/plans.ts';
import * as studio from '@renderkit/studio/operator.ts';
import { command } from '../command.ts';
import { choice, email, millicredits, required, text, trueOrFalse } from '../option.ts';
import { accountAnswer } from './present-account.ts';

export const setAccount = command({
  words: 'account set',
  about: 'Changes what is named. --credits N is booked in the ledger as an adjustment.',
  options: {
    email: required(email),
    password: text('P'),
    credits: millicredits,
    tier: choice(tiers),
    suspended: trueOrFalse,
    'email-verified': trueOrFalse,
    'region-blocked': trueOrFalse,
    'age-verified': trueOrFalse,
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
    };
    return accountAnswer(await studio.setAccount((await open()).studio, values.email, definedOf(settings)));
  },
});

/** Without the names that were not given: those stay as they are. */
function definedOf<Settings extends object>(
  settings: Settings,
): { [Name in keyof Settings]?: NonNullable<Settings[Name]> } {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Settings]?: NonNullable<Settings[Name]> };
}
