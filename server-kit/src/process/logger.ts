import { pino, type DestinationStream, type Logger } from 'pino';
import { toLogValues } from './log-values.ts';

export type { Logger } from 'pino';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

// The last line of defence: text with the shape of a secret never reaches the log, even inside messages and error
// texts. `service/src/identity/keys/key-text.ts` and `service/src/identity/sessions/session-cookie.ts` make the first
// two.
const secretShapes: [RegExp, string][] = [
  [/rk_live_([0-9A-Za-z]{12})_[0-9A-Za-z]{32}/g, 'rk_live_$1_[secret]'],
  [/rks_[0-9A-Za-z_-]{43}/g, 'rks_[secret]'],
  [/whsec_[0-9A-Za-z_-]{8,}/g, 'whsec_[secret]'],
  [/(postgres(?:ql)?:\/\/[^:@/\s"]+):[^@\s"]+@/g, '$1:[secret]@'],
  [/(Bearer|Basic) [0-9A-Za-z._~+/=-]{16,}/g, '$1 [secret]'],
];

/** Removes all text that has the shape of one of our secrets. */
export function scrub(text: string): string {
  return secretShapes.reduce((rest, [shape, instead]) => rest.replace(shape, instead), text);
}

/**
 * Creates a logger that writes JSON lines to standard output, one per call: plain data and errors only, secrets
 * removed.
 */
export function createLogger(options: {
  part: string;
  level: LogLevel;
  destination?: DestinationStream;
}): Logger {
  const destination = options.destination ?? process.stdout;
  return pino(
    {
      level: options.level,
      base: { part: options.part },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (values) => toLogValues(values) },
      // pino's own serializer would write everything attached to an error. The formatter has described the error
      // already.
      serializers: { err: (value: unknown) => value },
    },
    { write: (line: string) => destination.write(scrub(line)) },
  );
}
