import { applyFiles } from '@renderkit/studio/administration/apply.ts';
import { listPlans, listStyles } from '@renderkit/studio/administration/lists.ts';
import { appliedAnswer, applyInputs } from './apply.ts';
import { type Command, command, givenPath } from './command.ts';
import { required, text } from './option.ts';

/** Commands for the lists that are published whole: plans and styles. */
export const planCommands: Command[] = [
  command({
    words: 'plan list',
    about: 'Lists the plans; the first is that of new accounts.',
    options: {},
    run: async ({ open }) => {
      const plans = await listPlans((await open()).studio);
      return {
        data: plans,
        lines: plans.map(({ key, name, monthly_credits: credits, limits }) =>
          [
            key.padEnd(12),
            name.padEnd(16),
            `${credits} credits a month,`,
            `at once ${limits.overall}: ${limits.image} images, ${limits.edit} edits, ${limits.video} videos`,
          ].join(' '),
        ),
      };
    },
  }),
  command({
    words: 'style list',
    about: 'Lists the styles that everybody can use, and the words that they add.',
    options: {},
    run: async ({ open }) => {
      const styles = await listStyles((await open()).studio);
      return {
        data: styles,
        lines: styles.map(({ id, name, type, words }) => `${id.padEnd(24)} ${type}  ${name}: ${words}`),
      };
    },
  }),
  applyList(
    'plan',
    'plans',
    'Publishes plans from a file. Accounts have the new limits at once; a plan that accounts have must stay.',
  ),
  applyList('style', 'styles', 'Publishes styles from a file.'),
];

function applyList(noun: string, list: 'plans' | 'styles', about: string): Command {
  return command({
    words: `${noun} apply`,
    about,
    options: { file: required(text(`${list}.yaml`)) },
    run: async ({ open, config }, values) => {
      const databases = await open();
      const files = [givenPath(config, values.file)];
      return appliedAnswer(
        await applyFiles(databases.studio, files, { ...applyInputs(databases, config), list }),
      );
    },
  });
}
