import { createInterface } from 'node:readline/promises';
import type { GlobalValues } from './options.ts';
import type { Environment } from './config.ts';
import type { Failure } from './failure.ts';
import { pick, pickFields } from './json-path.ts';

/** Where a command writes: results on stdout, all else on stderr. */
export class Output {
  readonly #values: GlobalValues;
  /** stdout is written as JSON: it was asked for, or no person reads it. */
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /** Somebody sits there and can be asked. */
  readonly canAsk: boolean;
  readonly hasColors: boolean;
  /** A person sees stderr as it is written. */
  readonly isTerminal: boolean;
  /** A line on stderr that is written over until something else is said. */
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

  /** Progress can be shown as a line that changes. */
  get hasLine(): boolean {
    return this.isTerminal && !this.isQuiet;
  }

  /**
   * The result of a command: an object as JSON, its ids, or lines for people.
   *
   * @param ids what `-q` prints
   * @param lines made when people read them
   */
  result(data: unknown, ids: readonly string[], lines: () => readonly string[]): void {
    if (this.isQuiet) this.#print(ids);
    else if (this.isJson) this.json(data);
    else this.#print(lines().map(plain));
  }

  /** A value on a line of its own: a stream of these is NDJSON. */
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

  /** Something to know beside the result. */
  note(text: string): void {
    this.clearLine();
    if (!this.isQuiet) process.stderr.write(`${text}\n`);
  }

  /** A line that the next one replaces; nothing where no terminal shows it. */
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

  /** What went wrong: sentences for people, an object where stderr is no terminal or JSON was asked for. */
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
      // The message names a single one by itself.
      ...(errors.length > 1 ? errors.map(({ field, message: why }) => plain(`  ${field} ${why}`)) : []),
      ...(advice === undefined ? [] : [advice]),
      ...(requestId === undefined ? [] : [this.faint(`request ${requestId}`)]),
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
  }

  /** Asks a person; no where nobody can be asked. */
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

/** Without what a terminal would obey: names and prompts come from others. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
