import { Type, type Static } from 'typebox';
import { closed } from '../../v1/schemas/schema-builders.ts';

const settings = {
  recipes_in_files: Type.Boolean({
    description:
      'Whether saved pictures and videos say in their metadata how they were made: prompt, model and version, seed, settings.',
  }),
};

/** `service/src/downloads/download-items.ts` applies them. */
export const AccountSettings = closed(
  { object: Type.Literal('account_settings'), ...settings },
  { title: 'AccountSettings', description: 'What a person chose for the account.' },
);
export type AccountSettings = Static<typeof AccountSettings>;

export const UpdateAccountSettingsRequest = closed(settings);
