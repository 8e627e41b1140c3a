/**
 * Exit codes of the process. `failure.ts` maps failures to them. The README has the table for scripts. `help.ts` and
 * `clients/cli/src/commands/skill.ts` list them too.
 */
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

/** An error that the user can act on. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  /** Advice: what to do next. */
  readonly advice: string | undefined;
  /** Id of a generation that is paid: finished or in progress. */
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

/** An error in how the command was typed. */
export class UsageError extends CliError {
  constructor(message: string, advice?: string) {
    super(message, { exitCode: exitCodes.usage, code: 'usage', ...(advice !== undefined && { advice }) });
  }
}
