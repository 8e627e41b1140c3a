import * as service from '@renderkit/service/operator.ts';
import { tiers } from '@renderkit/studio/catalog/plans.ts';
import * as studio from '@renderkit/studio/operator.ts';
import { type Answer, command, type Command, done } from './command.ts';
import { accountInService, connectToService } from '../connect-to-service.ts';
import { choice, email, millicredits, required, text, trueOrFalse } from './option.ts';

export const accountCommands: Command[] = [
  command({
    words: 'account create',
    about:
      "Makes a studio account and connects it. --credits N: exactly N until the next renewal; else the plan's allowance.",
    options: { email: required(email), password: text('P'), tier: choice(tiers), credits: millicredits },
    run: async ({ open }, values) => {
      const databases = await open();
      const account = await studio.createAccount(databases.studio, {
        email: values.email,
        ...(values.password !== undefined && { password: values.password }),
        ...(values.tier !== undefined && { tier: values.tier }),
        ...(values.credits !== undefined && { creditsMillicredits: values.credits }),
      });
      await connectToService(databases, values.email);
      return accountAnswer(account);
    },
  }),
  command({
    words: 'account list',
    about: 'Lists the studio accounts.',
    options: {},
    run: async ({ open }) => {
      const accounts = (await studio.listAccounts((await open()).studio)).map(presentAccount);
      return {
        data: accounts,
        lines: accounts.map(
          ({ id, email: address, tier, credits }) =>
            `${id}  ${address ?? '(deleted)'}  ${tier}  ${credits} credits`,
        ),
      };
    },
  }),
  command({
    words: 'account show',
    about: 'Shows one account.',
    options: { email: required(email) },
    run: async ({ open }, values) =>
      accountAnswer(await studio.showAccount((await open()).studio, values.email)),
  }),
  command({
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
  }),
  command({
    words: 'account end-session',
    about: 'Ends the connection of the account to the service; it cannot be refreshed.',
    options: { email: required(email) },
    run: async ({ open, config }, values) => {
      const ended = await studio.endSession((await open()).studio, values.email, config.studioClientId);
      return done(
        { email: values.email, ended },
        ended === 0 ? 'There was no session.' : 'The session has ended.',
      );
    },
  }),
  command({
    words: 'account connect',
    about: 'Connects the account to the service, anew if it was before.',
    options: { email: required(email) },
    run: async ({ open }, values) => {
      const { accountId } = await connectToService(await open(), values.email);
      return done({ email: values.email, account_id: accountId }, 'The account is connected.');
    },
  }),
  command({
    words: 'account delete',
    about:
      'Revokes the keys, cancels what is queued, and erases texts and media; the ledger stays, without a name.',
    options: { email: required(email) },
    run: async ({ open }, values) => {
      const databases = await open();
      const { id } = await studio.showAccount(databases.studio, values.email);
      // Ours first: once the studio has forgotten the address a command that was cut off could not be repeated.
      const accountId = await accountInService(databases, values.email);
      if (accountId !== undefined) await service.deleteAccount(databases.service, accountId);
      await studio.deleteAccount(databases.studio, values.email);
      return done({ email: values.email, id, deleted: true }, 'The account is deleted.');
    },
  }),
];

function accountAnswer(row: studio.AccountRow): Answer {
  const account = presentAccount(row);
  return {
    data: account,
    lines: Object.entries(account).map(([name, value]) => `${name.padEnd(16)} ${String(value)}`),
  };
}

function presentAccount(row: studio.AccountRow) {
  return {
    id: row.id,
    email: row.email,
    tier: row.tier,
    credits: (row.monthly_millicredits + row.lifetime_millicredits) / 1000,
    monthly: row.monthly_millicredits / 1000,
    lifetime: row.lifetime_millicredits / 1000,
    suspended: row.suspended,
    email_verified: row.email_verified,
    region_blocked: row.region_blocked,
    age_verified: row.age_verified,
  };
}

/** Without the names that were not given: those stay as they are. */
function definedOf<Settings extends object>(
  settings: Settings,
): { [Name in keyof Settings]?: NonNullable<Settings[Name]> } {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Settings]?: NonNullable<Settings[Name]> };
}
