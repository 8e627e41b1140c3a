import { auditAccount } from './account/audit.ts';
import { connectAccount } from './account/connect.ts';
import { createAccount } from './account/create.ts';
import { deleteAccount } from './account/delete.ts';
import { endConnection } from './account/end-session.ts';
import { listAccounts } from './account/list.ts';
import { resetPassword } from './account/reset-password.ts';
import { setAccount } from './account/set.ts';
import { showAccount } from './account/show.ts';
import type { Command } from './command.ts';

/** In the order of the help. */
export const accountCommands: Command[] = [
  createAccount,
  listAccounts,
  showAccount,
  setAccount,
  resetPassword,
  auditAccount,
  endConnection,
  connectAccount,
  deleteAccount,
];
