import path from 'node:path';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { StackConfig } from '../config.ts';
import type { OperatorDatabases } from './open-databases.ts';
import { type Option, readValues, type Values } from './option.ts';

/** What a command answers: `data` is what `--json` prints, `lines` is the same for a person. */
export type Answer = {
  data: unknown;
  lines: string[];
  /** What was looked for was found wrong: the exit code says so. */
  failed?: boolean;
};

export type Context = {
  config: StackConfig;
  /** Opens the databases; they are closed, and what was started is stopped, after the command. */
  open: () => Promise<OperatorDatabases>;
  /** Says how far it is, beside the answer: a line for whoever waits. */
  progress: (line: string) => void;
};

export type Command = {
  /** The words that call it, e.g. `account create`. */
  words: string;
  about: string;
  /** The options as the help shows them. */
  usage: string;
  run: (context: Context, argv: string[]) => Promise<Answer>;
};

/** Commands that are loaded together, when one of them is called. */
export type CommandGroup = {
  /** With one of these each of them begins. */
  firstWords: readonly string[];
  load: () => Promise<Command[]>;
};

/** Defines a command by its options; `run` gets them read and validated. */
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

/** The answer of a command that only does something. */
export function done(data: unknown, sentence: string): Answer {
  return { data, lines: [sentence] };
}

/** A problem of a model or a file as a person reads it. */
export function problemLine({ line, message, code }: Problem): string {
  return `${line === undefined ? '' : `line ${line}: `}${message} (${code})`;
}

/** A file as it is named where the command was given: npm runs scripts in the project's folder. */
export function givenPath({ environment }: StackConfig, file: string): string {
  return path.resolve(environment['INIT_CWD'] ?? '.', file);
}
