/**
 * Lets this process outlive its own output: what cannot be written to standard output or standard error (a full disk, a
 * reader that has gone) is lost, and writing goes on when it can again. Call it once, before anything is written.
 */
export function ignoreOutputErrors(): void {
  // Without a listener the failed write of a log line would be an uncaught error, and end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
