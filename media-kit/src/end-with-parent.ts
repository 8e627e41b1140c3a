import { Worker } from 'node:worker_threads';

/**
 * Ends this process when the one that started it is gone, also when it was killed and this one is busy: decoding
 * holds the thread, so a second one watches.
 */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit());
  // The terminal's Ctrl-C reaches this process too; when to end is the parent's to say.
  process.on('SIGINT', () => undefined);
  new Worker(
    `const { ppid } = process;
    setInterval(() => process.ppid === ppid || process.kill(process.pid, 'SIGKILL'), 1000);`,
    { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } },
  ).unref();
}
