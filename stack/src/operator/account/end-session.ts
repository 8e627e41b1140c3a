import * as studio from '@renderkit/studio/operator.ts';
import { command, done } from '../command.ts';
import { email, required } from '../option.ts';

export const endConnection = command({
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
});
