import { setTimeout as sleep } from 'node:timers/promises';
import { type Preview, RenderkitError, type SucceededGeneration } from 'renderkit';
import { CliError, exitCodes } from './cli-error.ts';
import { imageRows, type ImageProtocol, imageText } from './terminal-images.ts';
import { progressText } from './progress.ts';
import type { Session } from './session.ts';

/** How long to wait for a second Ctrl-C after the first. */
const secondInterruptMs = 3_000;

/**
 * Waits for a generation and shows its progress. Ctrl-C ends the wait. A second Ctrl-C cancels the generation if it is
 * still queued. `clients/sdk/src/follow.ts` decides how the client waits: by a stream or by polls.
 *
 * @throws RenderkitError as `generations.wait`; CliError `interrupted`
 */
export async function follow(
  session: Session,
  id: string,
  options: { timeoutMs?: number | undefined; pictures?: ImageProtocol } = {},
): Promise<SucceededGeneration> {
  const { client, output } = session;
  using interrupts = new Interrupts();
  const painter = new PreviewPainter(session);
  try {
    return await client.generations.wait(id, {
      timeout: options.timeoutMs,
      signal: interrupts.first,
      ...(output.hasLine && { onProgress: (progress) => output.progress(progressText(progress)) }),
      ...(options.pictures === 'iterm' && { onPreview: (preview) => void painter.draw(preview) }),
    });
  } catch (error) {
    if (!RenderkitError.is(error)) throw error;
    // Prints the id, so that a script that set the timeout can continue with it.
    if (error.code === 'still_running') output.result({ id }, [id], () => [id]);
    if (error.code !== 'aborted') throw error;
    await offerToCancel(session, id, interrupts);
    throw new CliError(`${id} goes on without us.`, {
      exitCode: exitCodes.interrupted,
      code: 'interrupted',
      advice: `\`renderkit gen wait ${id}\` waits for it again.`,
    });
  } finally {
    painter.end();
    output.clearLine();
  }
}

async function offerToCancel({ client, output }: Session, id: string, interrupts: Interrupts): Promise<void> {
  if (!output.hasLine) return;
  output.note(`Ctrl-C again cancels ${id} while it still waits.`);
  if (!(await interrupts.comesAgainWithin(secondInterruptMs))) return;
  const canceled = await client.generations.cancel(id).then(
    () => true,
    () => false,
  );
  if (!canceled) return output.note(`It runs already: \`renderkit gen stop ${id}\` ends it.`);
  throw new CliError(`${id} was canceled; it cost nothing.`, {
    exitCode: exitCodes.interrupted,
    code: 'canceled',
  });
}

/**
 * Listens for Ctrl-C. Remembers a Ctrl-C that comes while no code waits for it, and keeps it from ending the process.
 */
class Interrupts implements Disposable {
  readonly #first = new AbortController();
  readonly #second = new AbortController();
  readonly #listen = () => {
    if (this.first.aborted) this.#second.abort();
    this.#first.abort();
  };

  constructor() {
    process.on('SIGINT', this.#listen);
  }

  get first(): AbortSignal {
    return this.#first.signal;
  }

  /** Returns whether a second Ctrl-C has come, or comes within this time. */
  async comesAgainWithin(ms: number): Promise<boolean> {
    await sleep(ms, undefined, { signal: this.#second.signal }).catch(() => undefined);
    return this.#second.signal.aborted;
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#listen);
  }
}

/** Draws previews above the progress line, each over the one before. */
class PreviewPainter {
  readonly #session: Session;
  #hasDrawn = false;
  #isOver = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Draws a preview. Ignores one that cannot be downloaded or drawn, because the next one may succeed. */
  async draw(preview: Preview): Promise<void> {
    const bytes = await preview
      .fetch()
      .then((answer) => answer.arrayBuffer())
      .catch(() => undefined);
    if (bytes === undefined || this.#isOver) return;
    this.#session.output.clearLine();
    const up = this.#hasDrawn ? `\u001b[${imageRows}A` : '';
    process.stderr.write(`${up}${imageText('iterm', new Uint8Array(bytes)) ?? ''}`);
    this.#hasDrawn = true;
  }

  end(): void {
    this.#isOver = true;
  }
}
