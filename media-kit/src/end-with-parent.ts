import { Worker } from 'node:worker_threads';

/**
 * Ends this process when its parent is gone, also when the parent was killed while this process is busy. Decoding
 * blocks the thread, so a worker thread watches the parent.
 */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit());
  // Ctrl-C in the terminal reaches this process too, but the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
  new Worker(
    `const { ppid } = process;
    setInterval(() => process.ppid === ppid || process.kill(process.pid, 'SIGKILL'), 1000);`,
    { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } },
  ).unref();
}
