import path from 'node:path';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { StackConfig } from '../config.ts';
import type { OperatorDatabases } from './open-databases.ts';
import { type Option, readValues, type Values } from './option.ts';

/** A command's answer: `--json` prints `data`, and `lines` is the same for a person. */
export type Answer = {
  data: unknown;
  lines: string[];
  /** The check found an error; the exit code reports it. */
  failed?: boolean;
};

export type Context = {
  config: StackConfig;
  /** Opens the databases. After the command, they are closed, and a server that was started is stopped. */
  open: () => Promise<OperatorDatabases>;
  /** Shows a line about the progress to the user, separate from the answer. */
  progress: (line: string) => void;
};

export type Command = {
  /** The words of the command, e.g. `account create`. */
  words: string;
  about: string;
  /** The options, as the help shows them. */
  usage: string;
  run: (context: Context, argv: string[]) => Promise<Answer>;
};

/** Commands that are loaded together when one of them is called. */
export type CommandGroup = {
  /** Each command of the group begins with one of these words. */
  firstWords: readonly string[];
  load: () => Promise<Command[]>;
};

/** Defines a command by its options; `run` gets their validated values. */
export function command<Options extends Record<string, Option<unknown>>>(definition: {
  words: string;
  about: string;
  options: Options;
  run: (context: Context, values: Values<Options>) => Promise<Answer>;
}): Command {
  return {
    words: definition.words,
    about: definition.about,
    usage: Object.entries(definition.options)
      .map(([name, { form, required }]) => {
        const shown = `--${name} ${form}`.trimEnd();
        return required ? shown : `[${shown}]`;
      })
      .join(' '),
    run: (context, argv) => definition.run(context, readValues(definition.words, definition.options, argv)),
  };
}

/** Returns the answer of a command that only performs an action. */
export function done(data: unknown, sentence: string): Answer {
  return { data, lines: [sentence] };
}

/** Returns a problem of a model or a file as a line for a person. */
export function problemLine({ line, message, code }: Problem): string {
  return `${line === undefined ? '' : `line ${line}: `}${message} (${code})`;
}

/**
 * Returns the absolute path of a file. A relative path starts where the command was called: npm runs scripts in the
 * project's folder.
 */
export function givenPath({ environment }: StackConfig, file: string): string {
  return path.resolve(environment['INIT_CWD'] ?? '.', file);
}
