/**
 * Keeps this process running when standard output or standard error cannot be written (a full disk, a reader that has
 * gone). The output is lost until writing works again. Call this once, before anything is written.
 */
export function ignoreOutputErrors(): void {
  // Without a listener, a failed write of a log line would be an uncaught error and end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
