import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const returnMemory = new URL('./return-memory.ts', import.meta.url).href;

/**
 * Runs a process that fills its heap with garbage, and returns its heap size before and after.
 *
 * @param afterwards an expression for what the process does next, until its heap was collected or the process ends
 */
async function heapAfter(afterwards: string): Promise<{ before: number; after: number }> {
  const program = `import { returnMemoryWhenQuiet } from '${returnMemory}';
    import { getHeapStatistics } from 'node:v8';
    import { setTimeout as sleep } from 'node:timers/promises';
    const total = () => getHeapStatistics().total_heap_size;
    let kept = Array.from({ length: 600_000 }, (_, i) => ({ i }));
    const before = total();
    kept = undefined;
    returnMemoryWhenQuiet(new AbortController().signal, 100);
    await (${afterwards})();
    process.send({ before, after: total() });
    process.disconnect();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [message] = (await once(child, 'message')) as [{ before: number; after: number }];
  await once(child, 'exit');
  return message;
}

// When a process allocates nothing, V8 itself shrinks the heap, but only after some eight seconds.
test('a process that falls quiet gives its garbage back', async () => {
  const { before, after } = await heapAfter(
    `async () => { for (let i = 0; i < 250 && total() > before - 12e6; i += 1) await sleep(20); }`,
  );
  assert.ok(after <= before - 12e6, `${after} of ${before} bytes`);
});

test('a process at work is not stopped for it', async () => {
  const { before, after } = await heapAfter(`async () => {
    for (let round = 0; round < 30; round += 1) {
      const until = performance.now() + 20;
      while (performance.now() < until);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }`);
  assert.ok(after >= before, `${after} of ${before} bytes`);
});
