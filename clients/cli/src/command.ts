import type { Option, Values } from './options.ts';
import type { Session } from './session.ts';

/** A command as the tree has it: what help, completion and the call need. */
export type Command = {
  /** What follows the name: `PROMPT… [options]`. */
  usage: string;
  about: string;
  options: Record<string, Option>;
  run: (session: Session, words: string[], values: Record<string, unknown>) => Promise<void>;
};

/** A command whose `run` knows the types of its options. */
export function command<const O extends Record<string, Option>>(definition: {
  usage: string;
  about: string;
  options: O;
  run: (session: Session, words: string[], values: Values<O>) => Promise<void>;
}): Command {
  return definition as unknown as Command;
}

/** A command in the tree: its file is loaded when it is called, so that help and completion of words are there at once. */
export type Entry = { about: string; load: () => Promise<Command> };
