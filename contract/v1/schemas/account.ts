import { Type, type Static } from 'typebox';
import { Balance } from './balance.ts';
import { realAnswers } from '../real-answers.ts';
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
    examples: [realAnswers.account],
  },
);

export type Account = Static<typeof Account>;
