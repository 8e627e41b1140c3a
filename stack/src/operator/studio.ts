import * as studio from '@renderkit/studio/operator.ts';
import { type Command, command, done } from './command.ts';
import { choice, email, required } from './option.ts';

/** `refuseUnderMaintenance` in `studio/src/authentication/authenticate.ts` refuses requests. */
export const studioCommands: Command[] = [
  ...(['on', 'off'] as const).map((state) =>
    command({
      words: `studio maintenance ${state}`,
      about:
        state === 'on'
          ? 'The studio refuses everything until it is switched off.'
          : 'The studio serves again.',
      options: {},
      run: async ({ open }) => {
        await studio.setMaintenance((await open()).studio, state === 'on');
        return done({ maintenance: state }, `Maintenance is ${state}.`);
      },
    }),
  ),
  command({
    words: 'studio fault',
    about: "Makes the account's next quote go wrong, once: to see how clients take it.",
    options: { email: required(email), next: required(choice(studio.faults)) },
    run: async ({ open }, values) => {
      await studio.setFault((await open()).studio, values.email, values.next);
      return done(
        { email: values.email, next: values.next },
        `The next quote of ${values.email} goes wrong.`,
      );
    },
  }),
];
