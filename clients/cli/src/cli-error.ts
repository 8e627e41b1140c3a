/** What the process ends with: `failure.ts` says which failure has which. The table is in the README; scripts decide by it. */
export const exitCodes = {
  done: 0,
  other: 1,
  usage: 2,
  failed: 3,
  notAllowed: 4,
  money: 5,
  moderation: 6,
  stillRunning: 7,
  busy: 8,
  unreachable: 9,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Something that the person at the keyboard can act on. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  /** What to do next. */
  readonly advice: string | undefined;
  /** Made and paid, or on its way. */
  readonly generationId: string | undefined;

  constructor(
    message: string,
    details: { exitCode?: ExitCode; code?: string; advice?: string; generationId?: string } = {},
  ) {
    super(message);
    this.exitCode = details.exitCode ?? exitCodes.other;
    this.code = details.code ?? 'error';
    this.advice = details.advice;
    this.generationId = details.generationId;
  }
}

/** The command was written wrongly. */
export class UsageError extends CliError {
  constructor(message: string, advice?: string) {
    super(message, { exitCode: exitCodes.usage, code: 'usage', ...(advice !== undefined && { advice }) });
  }
}
