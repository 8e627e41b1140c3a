import * as studio from '@renderkit/studio/operator.ts';
import { type Command, command } from './command.ts';
import { text, wholeNumber } from './option.ts';

const defaultLimit = 50;

export const auditCommands: Command[] = [
  command({
    words: 'audit list',
    about:
      'Lists what was done to models, plans, styles and backends, and who became an administrator: by whom, and what was so before and after. The newest first. --subject: of one thing, such as model:flux-dev, backend:gpu1 or plans.',
    options: { subject: text('S'), limit: wholeNumber({ min: 1, max: 1_000 }) },
    run: async ({ open }, { subject, limit = defaultLimit }) => {
      const { acts } = await studio.listActs((await open()).studio, { page: 1, limit, subject });
      return {
        data: acts,
        lines: acts.flatMap(({ at, actor, email, action, subject: of, before, after }) => [
          `${at}  ${action.padEnd(24)} ${of}  ${email ?? actor}`,
          ...(before === null ? [] : [`  - ${JSON.stringify(before)}`]),
          ...(after === null ? [] : [`  + ${JSON.stringify(after)}`]),
        ]),
      };
    },
  }),
];
