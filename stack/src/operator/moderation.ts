import { findRulesInForce, putRules } from '@renderkit/studio/moderation/put-rules.ts';
import { readGivenRules } from '@renderkit/studio/moderation/rules-file.ts';
import { filesOf } from '../data-directory.ts';
import { StackError } from '../stack-error.ts';
import { type Command, command, givenPath } from './command.ts';
import { required, text } from './option.ts';

/** `studio/src/moderation/moderation.ts` applies the rules. */
export const moderationCommands: Command[] = [
  command({
    words: 'moderation show',
    about: 'Prints the rules that prompts and uploads are held against, as a file of them.',
    options: {},
    run: async ({ open }) => {
      const rules = await findRulesInForce((await open()).studio);
      if (rules === undefined) throw new StackError('The studio has not put any rules in force yet.');
      return { data: JSON.parse(rules.replace(/^\u{feff}/u, '')), lines: [rules.trimEnd()] };
    },
  }),
  command({
    words: 'moderation apply',
    about:
      'Puts the rules of a file in force on every machine. A moderation.json in a data directory that says something else no longer counts.',
    options: { file: required(text('moderation.json')) },
    run: async ({ open, config }, { file }) => {
      const path = givenPath(config, file);
      const read = await readGivenRules(path);
      if (read === undefined) throw new StackError(`There is no file ${file}.`);
      const isDataFile = path === filesOf(config.dataDirectory).moderation;
      const result = await putRules((await open()).studio, read.text, { by: 'operator', isDataFile });
      return { data: { file, result }, lines: [`${result.padEnd(9)} ${file}`] };
    },
  }),
];
