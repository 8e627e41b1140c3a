/**
 * Called by name where the process may die at the worst moment; a test entry ends it there. In order of a
 * generation's life.
 */
export type CrashPointName =
  | 'create-judged'
  | 'create-accepted'
  | 'submit-claimed'
  | 'submit-sent'
  | 'submit-answered'
  | 'settle-judged'
  | 'settle-committed'
  | 'cancel-asked'
  | 'cancel-committed';

export type CrashPoint = (name: CrashPointName) => void | Promise<void>;
