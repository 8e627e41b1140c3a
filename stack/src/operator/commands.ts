import { accountCommands } from './account.ts';
import { backupCommands } from './backup.ts';
import type { Command } from './command.ts';
import { keyCommands } from './key.ts';
import { ledgerCommands } from './ledger.ts';
import { studioCommands } from './studio.ts';

/** Every command there is, in the order of the help. */
export const commands: Command[] = [
  ...accountCommands,
  ...keyCommands,
  ...studioCommands,
  ...ledgerCommands,
  ...backupCommands,
];
