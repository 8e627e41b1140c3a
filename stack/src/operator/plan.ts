import { lanes } from '@renderkit/contract/studio/kinds.ts';
import { applyFiles } from '@renderkit/studio/administration/apply.ts';
import {
  listPlans,
  listStyles,
  planEntries,
  publishListVersion,
  readListVersion,
  styleEntries,
} from '@renderkit/studio/administration/lists.ts';
import { appliedAnswer, applyInputs } from './apply.ts';
import { type Command, command, done, givenPath } from './command.ts';
import { required, text, wholeNumber } from './option.ts';

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;

const version = wholeNumber({ min: 1, max: 1_000_000 });

/**
 * Commands for lists that are published as a whole: plans and styles. `publishList` in `studio/src/catalog/publish.ts`
 * decides what may be published.
 */
export const planCommands: Command[] = [
  command({
    words: 'plan list',
    about: 'Lists the plans, or those of an older version; the first is that of new accounts.',
    options: { version },
    run: async ({ open }, { version: older }) => {
      const { studio } = await open();
      const plans =
        older === undefined
          ? await listPlans(studio)
          : planEntries(await readListVersion(studio, 'plans', older));
      return {
        data: plans,
        lines: plans.map(({ key, name, monthly_credits: credits, limits }) =>
          [
            key.padEnd(12),
            name.padEnd(16),
            `${credits} credits a month,`,
            `at once ${limits.overall}: ${lanes.map((lane) => counted(limits[lane], lane)).join(', ')}`,
          ].join(' '),
        ),
      };
    },
  }),
  command({
    words: 'style list',
    about:
      'Lists the styles that everybody can use, or those of an older version, and the words that they add.',
    options: { version },
    run: async ({ open }, { version: older }) => {
      const { studio } = await open();
      const styles =
        older === undefined
          ? await listStyles(studio)
          : styleEntries(await readListVersion(studio, 'styles', older));
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
  publishAgain('plan', 'plans'),
  publishAgain('style', 'styles'),
];

/** Publications are numbered from 1. */
function publishAgain(noun: string, name: 'plans' | 'styles'): Command {
  return command({
    words: `${noun} publish`,
    about: `Goes back to the ${name} of an older version, which get the next number.`,
    options: { version: required(version) },
    run: async ({ open }, { version: older }) => {
      const published = await publishListVersion((await open()).studio, { name, version: older }, 'operator');
      return done(
        published,
        published.changed
          ? `The ${name} of version ${older} are in force, as version ${published.version}.`
          : `The ${name} of version ${older} are in force already.`,
      );
    },
  });
}

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
