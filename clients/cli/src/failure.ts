import { RenderkitError, type RenderkitErrorCode } from 'renderkit';
import { CliError, type ExitCode, exitCodes } from './cli-error.ts';

/** The numbers are in `cli-error.ts`; `contract/v1/problem-codes.ts` has the error codes of the service. */
const exitCodeOf: Partial<Record<RenderkitErrorCode, ExitCode>> = {
  invalid_request: exitCodes.usage,
  unauthorized: exitCodes.notAllowed,
  forbidden: exitCodes.notAllowed,
  tier_required: exitCodes.notAllowed,
  connection_expired: exitCodes.notAllowed,
  account_suspended: exitCodes.notAllowed,
  email_not_verified: exitCodes.notAllowed,
  geo_blocked: exitCodes.notAllowed,
  insufficient_credits: exitCodes.money,
  budget_exceeded: exitCodes.money,
  moderation_blocked: exitCodes.moderation,
  generation_failed: exitCodes.failed,
  generation_canceled: exitCodes.failed,
  still_running: exitCodes.stillRunning,
  rate_limited: exitCodes.busy,
  queue_full: exitCodes.busy,
  aborted: exitCodes.interrupted,
  connection_failed: exitCodes.unreachable,
  internal_error: exitCodes.unreachable,
  upstream_error: exitCodes.unreachable,
  upstream_unavailable: exitCodes.unreachable,
};

/** Advice for people. `nextSteps` in `clients/mcp/src/tool.ts` has the advice for agents. */
const adviceOf: Partial<Record<RenderkitErrorCode, string>> = {
  invalid_request: '`renderkit models show ID` tells what a model takes.',
  unauthorized: '`renderkit login --with-key` takes a new key.',
  forbidden: '`renderkit whoami` shows what the key may do.',
  tier_required: '`renderkit models list` shows what your plan includes.',
  connection_expired: 'Sign in to the console once: that connects the studio again.',
  insufficient_credits: '`renderkit balance` shows what is left; a cheaper model may do.',
  budget_exceeded:
    'Ask again where its price has risen since; else wait for 00:00 UTC, or raise the budget of the key in the console.',
  moderation_blocked: 'Change the prompt or the picture; nothing was charged.',
  queue_full: 'Wait until something has finished: `renderkit gen list --status queued`.',
  rate_limited: 'Wait a minute, or ask with fewer programs at once.',
  connection_failed: '`renderkit doctor` looks for the reason.',
  internal_error: 'Try again; tell the operator the request id if it stays.',
  upstream_error: 'Try again in a moment.',
  upstream_unavailable: 'Try again in a moment.',
};

/** Exit codes of an error after which an accepted generation continues: only the wait has ended. */
const passing = new Set<ExitCode>([exitCodes.stillRunning, exitCodes.busy, exitCodes.unreachable]);

/** The report of an error, and the exit code of the process. */
export type Failure = {
  exitCode: ExitCode;
  code: string;
  message: string;
  errors: { field: string; message: string }[];
  advice: string | undefined;
  retryable: boolean;
  requestId: string | undefined;
  generationId: string | undefined;
};

/**
 * Returns the report of an error for people and scripts. `undefined` for an error that can only be a bug of this
 * program.
 */
export function failureOf(error: unknown): Failure | undefined {
  const none = { errors: [], retryable: false, requestId: undefined, generationId: undefined };
  if (error instanceof CliError)
    return {
      ...none,
      exitCode: error.exitCode,
      code: error.code,
      message: error.message,
      advice: error.advice,
      generationId: error.generationId,
    };
  if (RenderkitError.is(error)) {
    const { code, message, errors, retryable, requestId, generationId } = error;
    const isBlocked = error.generation?.error?.code === 'moderation_blocked';
    const exitCode = isBlocked ? exitCodes.moderation : (exitCodeOf[code] ?? exitCodes.other);
    const goesOn = generationId !== undefined && passing.has(exitCode);
    return {
      exitCode,
      code: isBlocked ? 'moderation_blocked' : code,
      message,
      errors,
      advice: goesOn
        ? `It goes on: \`renderkit gen wait ${generationId}\`.`
        : adviceOf[isBlocked ? 'moderation_blocked' : code],
      retryable,
      requestId,
      generationId,
    };
  }
  if (isOfSystem(error))
    return { ...none, exitCode: exitCodes.other, code: 'file', message: error.message, advice: undefined };
  // `fetch` throws this error when a connection failed, or broke while data arrived.
  if (error instanceof TypeError && error.cause instanceof Error) {
    const message = `${error.message}: ${error.cause.message}`;
    const advice = adviceOf.connection_failed;
    return { ...none, exitCode: exitCodes.unreachable, code: 'connection_failed', message, advice };
  }
  return undefined;
}

/** Returns whether an error comes from the file system. */
export function isOfSystem(error: unknown): error is Error & { code: string } {
  const { code } = error as { code?: unknown };
  return error instanceof Error && typeof code === 'string' && /^E[A-Z]+$/.test(code);
}
