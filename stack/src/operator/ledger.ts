import * as studio from '@renderkit/studio/operator.ts';
import { command, type Command } from './command.ts';

/** The comparison is `checkLedger` in `studio/src/credits/queries.ts`. */
export const ledgerCommands: Command[] = [
  command({
    words: 'ledger check',
    about: 'Adds up every account and shows those whose balance is not what the ledger says: none.',
    options: {},
    run: async ({ open }) => {
      const differences = await studio.checkLedger((await open()).studio);
      return {
        data: { differences },
        lines:
          differences.length === 0
            ? ['Every balance is what its ledger adds up to.']
            : differences.map((difference) => JSON.stringify(difference)),
        failed: differences.length > 0,
      };
    },
  }),
];
