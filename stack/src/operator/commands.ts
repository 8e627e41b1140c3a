import { accountCommands } from './account.ts';
import { applyCommands } from './apply.ts';
import { auditCommands } from './audit.ts';
import { backendCommands } from './backend.ts';
import { backupCommands } from './backup.ts';
import type { Command } from './command.ts';
import { costsCommands } from './costs.ts';
import { deliveriesCommands } from './deliveries.ts';
import { keyCommands } from './key.ts';
import { ledgerCommands } from './ledger.ts';
import { libraryCommands } from './library.ts';
import { mediaCommands } from './media.ts';
import { modelCommands } from './model.ts';
import { moderationCommands } from './moderation.ts';
import { planCommands } from './plan.ts';
import { studioCommands } from './studio.ts';
import { webhookCommands } from './webhook.ts';

/** Every command there is, in the order of the help. */
export const commands: Command[] = [
  ...accountCommands,
  ...keyCommands,
  ...webhookCommands,
  ...deliveriesCommands,
  ...modelCommands,
  ...planCommands,
  ...moderationCommands,
  ...applyCommands,
  ...backendCommands,
  ...auditCommands,
  ...costsCommands,
  ...studioCommands,
  ...libraryCommands,
  ...ledgerCommands,
  ...mediaCommands,
  ...backupCommands,
];
