import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A script in a separate process, so that its own cost is not measured with what it measures. */
export type Child = AsyncDisposable & {
  pid: number;
  /**
   * Sends one message and resolves with its one answer. The caller must wait for the answer before the next message.
   */
  ask: <Answer>(message: unknown) => Promise<Answer>;
};

type Reply = { type: 'answer'; answer: unknown } | { type: 'failure'; message: string };

const stopWithinMs = 5_000;

export async function startChild(file: string, argument: unknown = {}): Promise<Child> {
  const child = fork(file, [JSON.stringify(argument)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  });
  const first = await nextReply(child, file);
  if (first.type === 'failure') throw new Error(`${file}: ${first.message}`);
  return {
    pid: child.pid as number,
    ask: async <Answer>(message: unknown) => {
      child.send(message as object);
      const reply = await nextReply(child, file);
      if (reply.type === 'failure') throw new Error(`${file}: ${reply.message}`);
      return reply.answer as Answer;
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      child.disconnect();
      await once(child, 'exit');
      clearTimeout(late);
    },
  };
}

async function nextReply(child: ChildProcess, file: string): Promise<Reply> {
  const given = new AbortController();
  try {
    return await Promise.race([
      once(child, 'message', { signal: given.signal }).then(([reply]) => reply as Reply),
      once(child, 'exit', { signal: given.signal }).then(([code, signal]): never => {
        throw new Error(`${file} ended by ${signal ?? `exit code ${code}`}`);
      }),
    ]);
  } finally {
    given.abort();
  }
}

/** The child's side: starts, notifies the parent, answers each message, and ends when the parent disconnects. */
export async function serveParent(
  start: (argument: never) => Promise<(message: never) => Promise<unknown>>,
): Promise<void> {
  const reply = (message: Reply) => process.send?.(message);
  process.once('disconnect', () => process.exit(0));
  try {
    const answer = await start(JSON.parse(process.argv[2] ?? '{}') as never);
    process.on('message', (message) => {
      answer(message as never).then(
        (value) => reply({ type: 'answer', answer: value }),
        (error: unknown) => reply({ type: 'failure', message: String((error as Error).stack ?? error) }),
      );
    });
    reply({ type: 'answer', answer: undefined });
  } catch (error) {
    reply({ type: 'failure', message: String((error as Error).stack ?? error) });
  }
}
