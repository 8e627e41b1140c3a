import { createInterface } from 'node:readline/promises';
import type { GlobalValues } from './options.ts';
import type { Environment } from './config.ts';
import type { Failure } from './failure.ts';
import { pick, pickFields } from './json-path.ts';

/** The output of a command: results on stdout, everything else on stderr. */
export class Output {
  readonly #values: GlobalValues;
  /** Whether stdout is written as JSON: the user asked for JSON, or stdout is not read by a person. */
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /** Whether a person is there to answer questions. */
  readonly canAsk: boolean;
  readonly hasColors: boolean;
  /** Whether a person sees stderr live. */
  readonly isTerminal: boolean;
  /** The current progress line on stderr. The next message overwrites it. */
  #line = '';

  constructor(environment: Environment, values: GlobalValues) {
    this.#values = values;
    this.isQuiet = values.quiet === true;
    this.isJson =
      !this.isQuiet &&
      (values.json !== undefined || values.jq !== undefined || !process.stdout.isTTY || environment.isAgent);
    this.isTerminal = process.stderr.isTTY && !environment.isAgent;
    this.canAsk = values['no-input'] !== true && process.stdin.isTTY && this.isTerminal;
    const { NO_COLOR: noColor, TERM: kind } = environment.terminal;
    this.hasColors = this.isTerminal && values.color !== 'never' && noColor === undefined && kind !== 'dumb';
  }

  /** Whether progress can be shown as a changing line. */
  get hasLine(): boolean {
    return this.isTerminal && !this.isQuiet;
  }

  /**
   * Prints the result of a command: an object as JSON, ids, or lines for people.
   *
   * @param ids printed with `-q`
   * @param lines called only when people read the output
   */
  result(data: unknown, ids: readonly string[], lines: () => readonly string[]): void {
    if (this.isQuiet) this.#print(ids);
    else if (this.isJson) this.json(data);
    else this.#print(lines().map(plain));
  }

  /** Prints a value on one line. A stream of values is NDJSON. */
  json(data: unknown): void {
    const { json, jq } = this.#values;
    const chosen = json === undefined || json === '' ? data : pickFields(data, json.split(','));
    if (jq === undefined) return this.#print([JSON.stringify(chosen)]);
    for (const value of pick(chosen, jq))
      this.#print([typeof value === 'string' ? value : JSON.stringify(value)]);
  }

  #print(lines: readonly string[]): void {
    this.clearLine();
    for (const line of lines) process.stdout.write(`${line}\n`);
  }

  /** Prints a note on stderr, in addition to the result. */
  note(text: string): void {
    this.clearLine();
    if (!this.isQuiet) process.stderr.write(`${text}\n`);
  }

  /** Shows a progress line, which the next one replaces. Shows nothing without a terminal. */
  progress(text: string): void {
    if (!this.hasLine) return;
    const columns = process.stderr.columns ?? 80;
    const fitting = text.length < columns ? text : `${text.slice(0, columns - 2)}…`;
    if (fitting === this.#line) return;
    process.stderr.write(`\r${fitting}\u001b[K`);
    this.#line = fitting;
  }

  clearLine(): void {
    if (this.#line === '') return;
    process.stderr.write('\r\u001b[K');
    this.#line = '';
  }

  /** Prints a failure: sentences for people, or an object when stderr is not a terminal or JSON was asked for. */
  failure(failure: Failure): void {
    this.clearLine();
    const { code, message, errors, advice, retryable, requestId, generationId } = failure;
    if (this.#values.json !== undefined || (!this.isTerminal && !this.isQuiet)) {
      const error = {
        code,
        message,
        ...(errors.length > 0 && { errors }),
        ...(advice !== undefined && { suggestion: advice }),
        retryable,
        ...(requestId !== undefined && { request_id: requestId }),
        ...(generationId !== undefined && { generation_id: generationId }),
      };
      process.stderr.write(`${JSON.stringify({ error })}\n`);
      return;
    }
    const lines = [
      this.red(plain(message)),
      // A single field error is already in the message.
      ...(errors.length > 1 ? errors.map(({ field, message: why }) => plain(`  ${field} ${why}`)) : []),
      ...(advice === undefined ? [] : [advice]),
      ...(requestId === undefined ? [] : [this.faint(`request ${requestId}`)]),
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
  }

  /** Asks a person a yes/no question. Returns `false` when no person can be asked. */
  async confirm(question: string): Promise<boolean> {
    if (!this.canAsk) return false;
    this.clearLine();
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `)).trim());
    } finally {
      reader.close();
    }
  }

  faint(text: string): string {
    return this.#colored('2', text);
  }

  red(text: string): string {
    return this.#colored('31', text);
  }

  green(text: string): string {
    return this.#colored('32', text);
  }

  #colored(code: string, text: string): string {
    return this.hasColors ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

/** Removes terminal control characters: names and prompts come from other people. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
