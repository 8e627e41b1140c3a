import type { Option, Values } from './options.ts';
import type { Session } from './session.ts';

/**
 * A command as the command tree stores it: the facts that help, completion and the call need. `options.ts` parses the
 * arguments, and `main.ts` runs the command.
 */
export type Command = {
  /** The arguments after the name: `PROMPT… [options]`. */
  usage: string;
  about: string;
  options: Record<string, Option>;
  run: (session: Session, words: string[], values: Record<string, unknown>) => Promise<void>;
};

/** Defines a command. TypeScript infers the types of its options for `run`. */
export function command<const O extends Record<string, Option>>(definition: {
  usage: string;
  about: string;
  options: O;
  run: (session: Session, words: string[], values: Values<O>) => Promise<void>;
}): Command {
  return definition as unknown as Command;
}

/** A command in the tree. Its file is loaded only when the command runs, so help and completion start fast. */
export type Entry = { about: string; load: () => Promise<Command> };
