import { Type, type Static } from 'typebox';
import { Balance } from './balance.ts';
import { closed, nullable } from './schema-builders.ts';

const Tier = closed({
  key: nullable(Type.String(), { description: 'Stable name of the plan.' }),
  name: nullable(Type.String(), { description: 'Name of the plan for people.' }),
});

const Capabilities = closed(
  {
    audio_upload: Type.Boolean({ description: 'Audio may be uploaded.' }),
    video_upload: Type.Boolean({ description: 'Videos may be uploaded.' }),
    uploads: Type.Boolean({ description: 'Anything may be uploaded at all.' }),
    custom_models: Type.Boolean({ description: 'The account may have models of its own.' }),
    character_creation_modes: Type.Array(Type.String(), {
      description: 'Ways in which characters can be made.',
    }),
  },
  { description: 'What the plan allows.' },
);

export const Account = closed(
  {
    id: Type.String({ description: "Id of the account in the studio's world." }),
    object: Type.Literal('account'),
    email: nullable(Type.String(), { description: 'Its e-mail address.' }),
    name: nullable(Type.String(), { description: 'What its holder is called.' }),
    username: nullable(Type.String(), { description: 'Its short name in the studio.' }),
    tier: nullable(Tier, { description: 'The plan, or null without one.' }),
    organization: Type.Boolean({ description: 'The account belongs to an organization.' }),
    age_verified: Type.Boolean({ description: 'The holder has proved to be of age.' }),
    credits: nullable(Balance, { description: 'What can be spent now.' }),
    capabilities: Capabilities,
  },
  {
    title: 'Account',
    description: 'The studio account behind the key.',
    examples: [
      {
        id: 'acc_01kaf3v5w8m2x9q4t7r6y1z0bc',
        object: 'account',
        email: 'ada@example.com',
        name: 'Ada',
        username: 'ada',
        tier: { key: 'plus', name: 'Plus' },
        organization: false,
        age_verified: false,
        credits: {
          object: 'balance',
          balance: 962,
          monthly: 912,
          lifetime: 50,
          monthly_allowance: 1000,
          next_refill: '2026-12-07T00:00:00.000Z',
        },
        capabilities: {
          audio_upload: false,
          video_upload: true,
          uploads: true,
          custom_models: true,
          character_creation_modes: [],
        },
      },
    ],
  },
);

export type Account = Static<typeof Account>;
