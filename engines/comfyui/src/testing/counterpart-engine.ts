import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ancestors, type PlainGraph } from './counterpart-classes.ts';
import type { ServerSocket } from './web-socket-server.ts';
import { writePng } from './write-png.ts';

/** The behaviour that a test sets for the counterpart. May be changed while it runs. */
export interface Script {
  version: string;
  /** Milliseconds for each node, and for each step. */
  nodeMs: number;
  /** Number of steps that nodes of a class report, each with a preview. */
  steps: Readonly<Record<string, number>>;
  previews: 'plain' | 'with_metadata' | 'none';
  /** Milliseconds from the success event until the history has the job. */
  historyLateMs: number;
  /** Milliseconds until a job notices an interrupt: nodes without steps run to their end. */
  interruptLateMs: number;
  /** Every job fails with this error, at its first node. */
  failWith: { type: string; message: string } | undefined;
  /** Names of checkpoints. */
  checkpoints: readonly string[];
  /** The result files are cut to this many bytes. */
  truncateTo: number | undefined;
}

export interface QueueItem {
  readonly number: number;
  readonly id: string;
  readonly graph: PlainGraph;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly outputs: readonly string[];
}

interface Images {
  readonly width: number;
  readonly height: number;
  readonly color: number;
  readonly count: number;
}

/** What jobs that end from now on produce, and whether they end at all. */
interface Orders {
  readonly held: boolean;
  readonly results: 'good' | 'missing' | 'other_shape' | 'elsewhere';
}

export interface Client {
  readonly socket: ServerSocket;
  wantsMetadata: boolean;
}

/** Runs jobs and keeps queue and history. A new instance has no earlier jobs, but the same files. */
export class CounterpartEngine {
  readonly pending: QueueItem[] = [];
  readonly history = new Map<string, object>();
  readonly clients = new Map<string, Client>();
  running: QueueItem | undefined;
  /** Number of jobs that were started. */
  executions = 0;
  readonly #script: Script;
  readonly #files: Map<string, Buffer>;
  readonly #orders: Orders;
  readonly #cache = new Map<string, object>();
  #isInterrupted = false;
  #isStopped = false;
  #isWorking = false;

  /** `files`: by `type/subfolder/name`. */
  constructor(script: Script, files: Map<string, Buffer>, orders: Orders) {
    this.#script = script;
    this.#files = files;
    this.#orders = orders;
  }

  put(item: QueueItem): void {
    this.pending.push(item);
    this.tellQueue();
    if (!this.#isWorking) void this.#work();
  }

  get remaining(): number {
    return this.pending.length + (this.running === undefined ? 0 : 1);
  }

  /** Ends the running job. If no job runs, the next one ends, as in old servers. */
  interrupt(): void {
    const { interruptLateMs } = this.#script;
    if (interruptLateMs > 0) void this.#interruptLater(this.running, interruptLateMs);
    else this.#isInterrupted = true;
  }

  async #interruptLater(item: QueueItem | undefined, lateMs: number): Promise<void> {
    await sleep(lateMs);
    if (this.running === item) this.#isInterrupted = true;
  }

  stop(): void {
    this.#isStopped = true;
    for (const { socket } of this.clients.values()) socket.cut();
  }

  tellQueue(sid?: string): void {
    const data = {
      status: { exec_info: { queue_remaining: this.remaining } },
      ...(sid !== undefined && { sid }),
    };
    for (const [id, { socket }] of this.clients)
      if (sid === undefined || sid === id) socket.sendText(JSON.stringify({ type: 'status', data }));
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (
      let item = this.pending.shift();
      item !== undefined && !this.#isStopped;
      item = this.pending.shift()
    ) {
      this.running = item;
      this.executions += 1;
      const ended = await this.#run(item);
      if (this.#isStopped) return;
      await sleep(this.#script.historyLateMs);
      this.running = undefined;
      this.history.set(item.id, ended);
      this.tellQueue();
      this.#tell(item, 'executing', { node: null, prompt_id: item.id });
    }
    this.#isWorking = false;
  }

  async #run(item: QueueItem): Promise<object> {
    this.#isInterrupted = false;
    const { graph } = item;
    const messages: [string, object][] = [];
    const outputs: Record<string, object> = {};
    const say = (event: string, more: object = {}): void => {
      const data = { prompt_id: item.id, ...more, timestamp: Date.now() };
      messages.push([event, data]);
      this.#tell(item, event, data);
    };
    say('execution_start');
    const order = [...new Set(item.outputs.flatMap((output) => ancestors(graph, output)))];
    const cached = order.filter((id) => this.#cache.has(this.#keyOf(graph, id)));
    say('execution_cached', { nodes: cached });
    const made = new Map<string, Images>();
    const executed: string[] = [];
    let failure: { event: string; more: object } | undefined;
    for (const id of order) {
      await this.#untilLetGo();
      if (!cached.includes(id)) failure = await this.#runNode(item, id, made);
      // A process that was killed saves nothing.
      if (this.#isStopped) return {};
      if (failure !== undefined) break;
      made.set(id, this.#evaluate(graph, id, made));
      if (!cached.includes(id)) {
        const output = item.outputs.includes(id) ? this.#save(item, id, made) : {};
        this.#cache.set(this.#keyOf(graph, id), output);
        executed.push(id);
      }
      if (!item.outputs.includes(id)) continue;
      const output = this.#cache.get(this.#keyOf(graph, id)) ?? {};
      outputs[id] = output;
      this.#tell(item, 'executed', { node: id, display_node: id, output, prompt_id: item.id });
    }
    if (failure === undefined) say('execution_success');
    else say(failure.event, { ...failure.more, executed });
    const meta = Object.keys(outputs).map((id) => [
      id,
      { node_id: id, display_node: id, parent_node: null, real_node_id: id },
    ]);
    return {
      prompt: [item.number, item.id, graph, item.extra, item.outputs],
      outputs,
      status: {
        status_str: failure === undefined ? 'success' : 'error',
        completed: failure === undefined,
        messages,
      },
      meta: Object.fromEntries(meta),
    };
  }

  /** Runs one node. Returns the failure, if there is one. */
  async #runNode(
    item: QueueItem,
    id: string,
    made: ReadonlyMap<string, Images>,
  ): Promise<{ event: string; more: object } | undefined> {
    const classType = item.graph[id]?.class_type;
    const about = { node_id: id, node_type: classType };
    this.#tellState(item, id, 'running');
    this.#tell(item, 'executing', { node: id, display_node: id, prompt_id: item.id });
    await this.#step(item, id, String(classType));
    if (this.#isInterrupted) return { event: 'execution_interrupted', more: about };
    const failure = this.#script.failWith ?? this.#unreadable(item.graph, id);
    if (failure === undefined) {
      this.#tellState(item, id, 'finished');
      return undefined;
    }
    const more = {
      ...about,
      exception_message: failure.message,
      exception_type: failure.type,
      traceback: ['  File "execution.py", line 1, in execute\n'],
      current_inputs: {},
      current_outputs: [...made.keys()],
    };
    return { event: 'execution_error', more };
  }

  async #step(item: QueueItem, node: string, classType: string): Promise<void> {
    const steps = this.#script.steps[classType] ?? 0;
    for (let value = 1; value <= steps; value += 1) {
      this.#tell(item, 'progress', { value, max: steps, prompt_id: item.id, node });
      this.#preview(item, node);
      await this.#pause();
    }
    await this.#pause();
  }

  /** Waits for one step. Ends early on an interrupt, as samplers do. */
  async #pause(): Promise<void> {
    await this.#untilLetGo();
    for (let slept = 0; slept < this.#script.nodeMs && !this.#isInterrupted; slept += 10) await sleep(10);
  }

  async #untilLetGo(): Promise<void> {
    while (this.#orders.held && !this.#isInterrupted && !this.#isStopped) await sleep(5);
  }

  #tell({ extra }: QueueItem, type: string, data: object): void {
    this.clients.get(String(extra['client_id']))?.socket.sendText(JSON.stringify({ type, data }));
  }

  #tellState(item: QueueItem, id: string, state: 'running' | 'finished'): void {
    const value = state === 'finished' ? 1 : 0;
    const node = { value, max: 1, state, node_id: id, prompt_id: item.id };
    const ids = { display_node_id: id, parent_node_id: null, real_node_id: id };
    this.#tell(item, 'progress_state', { prompt_id: item.id, nodes: { [id]: { ...node, ...ids } } });
  }

  #preview({ id, extra }: QueueItem, node: string): void {
    const client = this.clients.get(String(extra['client_id']));
    const image = writePng(8, 8, 0x808080);
    const word = (value: number): Buffer => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    };
    if (client === undefined || this.#script.previews === 'none') return;
    if (this.#script.previews === 'with_metadata' && client.wantsMetadata) {
      const metadata = Buffer.from(
        JSON.stringify({ node_id: node, prompt_id: id, display_node_id: node, image_type: 'image/png' }),
      );
      client.socket.sendBytes(Buffer.concat([word(4), word(metadata.length), metadata, image]));
    } else client.socket.sendBytes(Buffer.concat([word(1), word(2), image]));
  }

  /** Returns PIL's error if a file is not a PNG. */
  #unreadable(graph: PlainGraph, id: string): { type: string; message: string } | undefined {
    const node = graph[id];
    if (node?.class_type !== 'LoadImage') return undefined;
    const bytes = this.#files.get(`input/${String(node.inputs?.['image'])}`);
    if (bytes?.toString('latin1', 1, 4) === 'PNG') return undefined;
    return { type: 'PIL.UnidentifiedImageError', message: 'cannot identify image file\n' };
  }

  #evaluate(graph: PlainGraph, id: string, made: ReadonlyMap<string, Images>): Images {
    const { class_type, inputs = {} } = graph[id] ?? {};
    const number = (name: string): number => Number(inputs[name]);
    const link = inputs['image'] ?? inputs['images'] ?? inputs['samples'] ?? inputs['latent_image'];
    const from = Array.isArray(link) ? made.get(String(link[0])) : undefined;
    const [width, height] = [number('width'), number('height')];
    if (class_type === 'EmptyImage')
      return { width, height, color: number('color'), count: number('batch_size') };
    if (class_type === 'EmptyLatentImage') return { width, height, color: 0, count: number('batch_size') };
    if (class_type === 'LoadImage') {
      const bytes = this.#files.get(`input/${String(inputs['image'])}`) ?? Buffer.alloc(24);
      return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), color: 0x336699, count: 1 };
    }
    const same = from ?? { width: 8, height: 8, color: 0, count: 1 };
    // Each seed has its own colour.
    if (class_type === 'KSampler') return { ...same, color: (number('seed') * 2_654_435_761) % 0x1_00_00_00 };
    return class_type === 'ImageScale' ? { ...same, width, height } : same;
  }

  #save({ graph }: QueueItem, id: string, made: ReadonlyMap<string, Images>): object {
    if (this.#orders.results === 'missing') return {};
    if (this.#orders.results === 'other_shape') return { text: ['a lake'] };
    const { class_type, inputs = {} } = graph[id] ?? {};
    const { width, height, color, count } = made.get(id) ?? { width: 8, height: 8, color: 0, count: 1 };
    const isTemp = class_type === 'PreviewImage';
    const type = isTemp ? 'temp' : 'output';
    const prefix = isTemp ? `ComfyUI_temp_${randomUUID().slice(0, 5)}` : String(inputs['filename_prefix']);
    const slash = prefix.lastIndexOf('/');
    const [subfolder, stem] = [prefix.slice(0, Math.max(0, slash)), prefix.slice(slash + 1)];
    const first = this.#nextNumber(`${type}/${subfolder}/${stem}_`);
    const images = Array.from({ length: count }, (_, at) => {
      const filename = `${stem}_${String(first + at).padStart(5, '0')}_.png`;
      const bytes = writePng(width, height, color, { prompt: JSON.stringify(graph) });
      const key = [type, subfolder, filename].filter((part) => part !== '').join('/');
      this.#files.set(key, bytes.subarray(0, this.#script.truncateTo));
      return { filename, subfolder, type };
    });
    return { images };
  }

  #nextNumber(start: string): number {
    const plain = start.replaceAll('//', '/');
    const numbers = [...this.#files.keys()]
      .filter((key) => key.startsWith(plain))
      .map((key) => Number.parseInt(key.slice(plain.length), 10));
    return Math.max(0, ...numbers) + 1;
  }

  /** Returns a key for a node and all nodes before it. Nodes with the same key do not run again. */
  #keyOf(graph: PlainGraph, id: string): string {
    return JSON.stringify(ancestors(graph, id).map((one) => [graph[one]?.class_type, graph[one]?.inputs]));
  }
}
