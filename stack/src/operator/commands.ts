import type { Command, CommandGroup } from './command.ts';

/**
 * All commands, in the order of the help. A call loads only its own group: loading all would take most of a call's
 * time.
 */
export const commands: CommandGroup[] = [
  { firstWords: ['account'], load: async () => (await import('./account.ts')).accountCommands },
  { firstWords: ['key'], load: async () => (await import('./key.ts')).keyCommands },
  { firstWords: ['webhook'], load: async () => (await import('./webhook.ts')).webhookCommands },
  { firstWords: ['deliveries'], load: async () => (await import('./deliveries.ts')).deliveriesCommands },
  { firstWords: ['model'], load: async () => (await import('./model.ts')).modelCommands },
  { firstWords: ['plan', 'style'], load: async () => (await import('./plan.ts')).planCommands },
  { firstWords: ['moderation'], load: async () => (await import('./moderation.ts')).moderationCommands },
  { firstWords: ['apply'], load: async () => (await import('./apply.ts')).applyCommands },
  { firstWords: ['backend'], load: async () => (await import('./backend.ts')).backendCommands },
  { firstWords: ['audit'], load: async () => (await import('./audit.ts')).auditCommands },
  { firstWords: ['costs'], load: async () => (await import('./costs.ts')).costsCommands },
  { firstWords: ['studio'], load: async () => (await import('./studio.ts')).studioCommands },
  { firstWords: ['library'], load: async () => (await import('./library.ts')).libraryCommands },
  { firstWords: ['ledger'], load: async () => (await import('./ledger.ts')).ledgerCommands },
  { firstWords: ['media'], load: async () => (await import('./media.ts')).mediaCommands },
  { firstWords: ['backup', 'restore'], load: async () => (await import('./backup.ts')).backupCommands },
];

/** Loads the commands of the groups, or only of those with this first word. */
export async function loadCommands(groups: readonly CommandGroup[], firstWord?: string): Promise<Command[]> {
  const asked = groups.filter(({ firstWords }) => firstWord === undefined || firstWords.includes(firstWord));
  return (await Promise.all(asked.map(({ load }) => load()))).flat();
}
