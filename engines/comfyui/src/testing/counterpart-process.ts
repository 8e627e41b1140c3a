// A ComfyUI that tests kill and restart: `node counterpart-process.ts FOLDER`. Its files stay in the folder, as on a
// disk. Its queue and history are lost with the process. `jobs.log` in the folder has one line of JSON for each
// accepted job.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { CounterpartAnswer, CounterpartRequest } from '@renderkit/engine-kit/testing/counterpart.ts';
import { ComfyCounterpart } from './comfy-counterpart.ts';

/** Files that are either complete or missing, even if the process is killed at any moment. */
class FolderFiles extends Map<string, Buffer> {
  readonly #folder: string;

  constructor(folder: string) {
    super();
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.half')) continue;
      const file = path.join(entry.parentPath, entry.name);
      super.set(path.relative(folder, file), readFileSync(file));
    }
  }

  override set(key: string, bytes: Buffer): this {
    const file = path.join(this.#folder, key);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(`${file}.half`, bytes);
    renameSync(`${file}.half`, file);
    return super.set(key, bytes);
  }
}

class CountedComfyui extends ComfyCounterpart {
  readonly #log: string;

  constructor(folder: string) {
    super({
      script: { nodeMs: 100, steps: { EmptyImage: 3 }, previews: 'with_metadata' },
      files: new FolderFiles(path.join(folder, 'files')),
    });
    this.#log = path.join(folder, 'jobs.log');
  }

  protected override answer(request: CounterpartRequest): CounterpartAnswer {
    const answer = super.answer(request);
    if (request.purpose !== 'submit' || answer.status !== undefined) return answer;
    const { prompt_id: id } = answer.json as { prompt_id: string };
    const again = this.files.has(`output/rk/${id}/r_00001_.png`);
    const job = { life: String(process.pid), id, again };
    appendFileSync(this.#log, `${JSON.stringify(job)}\n`);
    return answer;
  }
}

/** Starts on a port below the system's range for connections. The port is the same after each restart. */
async function startOnItsPort(folder: string): Promise<CountedComfyui> {
  const file = path.join(folder, 'port');
  for (;;) {
    const isChosen = existsSync(file);
    const port = isChosen ? Number(readFileSync(file, 'utf8')) : 20_000 + Math.floor(Math.random() * 10_000);
    try {
      const comfy = await new CountedComfyui(folder).start(port);
      writeFileSync(file, String(port));
      return comfy;
    } catch (error) {
      if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    }
  }
}

const folder = process.argv[2] ?? '';
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
const { url } = await startOnItsPort(folder);
process.send?.({ type: 'ready', url });
