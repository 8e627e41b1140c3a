import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import { type Database, isDatabaseUnavailable, type Queryable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { CrashPoint } from '../../test-hooks.ts';
import type { TransitionAnnouncer } from './announce-transitions.ts';
import { toFailed, toFinal, toRunning } from './compose-transition.ts';
import { tombstonedError, type GenerationError } from './failure-sentences.ts';
import { readUnsettled, type UnsettledRow } from './store.ts';
import { transitionOnce } from './transition-once.ts';
import { type Transition, type Transitioned, transitionGenerations, type Watch } from './transition-store.ts';

/** The studio's report about one of an account's renders. */
export type RenderReport = { accountId: string; render: Render };

export type SettlementOptions = {
  database: Database;
  /** Names this process in watches. */
  owner: string;
  leaseMs: number;
  announcer: Pick<TransitionAnnouncer, 'announce'>;
  crashPoint?: CrashPoint | undefined;
};

const transitionsPerStatement = 128;
const statementsInFlight = 2;

/**
 * Brings generations to their end, and announces each transition once it is committed. `compose-transition.ts` decides
 * between `succeeded`, `partial_failure` and `failed`.
 */
export class Settlement {
  readonly #database: Database;
  readonly #watch: Watch;
  readonly #announcer: SettlementOptions['announcer'];
  readonly #crashPoint: CrashPoint | undefined;
  readonly #batched: (transition: Transition) => Promise<Transitioned | undefined>;

  constructor(options: SettlementOptions) {
    this.#database = options.database;
    this.#watch = { watcher: options.owner, leaseMs: options.leaseMs };
    this.#announcer = options.announcer;
    this.#crashPoint = options.crashPoint;
    this.#batched = createBatcher<Transition, Transitioned | undefined>({
      run: (transitions) => transitionOnce(transitions, (distinct) => this.#make(distinct)),
      maxSize: transitionsPerStatement,
      maxInFlight: statementsInFlight,
      isHopeless: isDatabaseUnavailable,
    });
  }

  /**
   * Brings generations to the status that the studio reports for their renders. Ignores renders that the service never
   * submitted; final generations stay unchanged. `cursors` are the positions up to which the feeds are applied with
   * this call.
   */
  async apply(
    reports: readonly RenderReport[],
    cursors: readonly { accountId: string; cursor: number }[] = [],
  ): Promise<void> {
    const latest = latestByToken(reports);
    const rows = await this.#unsettled(
      [...latest.values()].map(({ accountId, render }) => ({ id: render.token, accountId })),
    );
    const adopted: Transition[] = [];
    const final: Transition[] = [];
    for (const row of rows) {
      const render = latest.get(`${row.account_id} ${row.id}`)?.render as Render;
      const current = row.status === 'queued' ? adoptInto(adopted, row, render) : row;
      if (render.status === 'succeeded' || render.status === 'failed') final.push(toFinal(current, render));
    }
    if (adopted.length > 0) await this.#make(adopted);
    await this.#crashPoint?.('settle-composed');
    const made = await transitionGenerations(this.#database, final, { ...this.#watch, cursors });
    await this.#crashPoint?.('settle-committed');
    this.#announcer.announce(made);
  }

  /** Fails generations whose tokens are tombstoned: the studio will never accept them. */
  async failTombstoned(tombstoned: readonly { id: string; accountId: string }[]): Promise<void> {
    const rows = await this.#unsettled(tombstoned);
    if (rows.length === 0) return;
    await this.#make(
      rows.map((row) =>
        toFailed(row, { from: row.status === 'queued' ? 'queued' : 'running', error: tombstonedError(row) }),
      ),
    );
  }

  /** Fails a generation that is still in the given state. Returns false where it changed meanwhile. */
  async fail(failure: {
    id: string;
    accountId: string;
    from: 'queued' | 'running';
    attempt?: number;
    untouched?: boolean;
    error: GenerationError;
  }): Promise<boolean> {
    const [row] = await readUnsettled(this.#database, [failure]);
    if (row === undefined || row.status !== failure.from) return false;
    return (await this.transition(toFailed(row, failure))) !== undefined;
  }

  /**
   * Makes one transition, in one statement with others at the same time. Returns undefined where the generation changed
   * meanwhile.
   */
  transition(transition: Transition): Promise<Transitioned | undefined> {
    return this.#batched(transition);
  }

  /**
   * Makes one transition in a separate transaction, in which it also runs `also`. Does neither where the generation
   * changed meanwhile, and returns undefined.
   */
  async transitionWith(
    transition: Transition,
    also: (transaction: Queryable) => Promise<void>,
  ): Promise<Transitioned | undefined> {
    const made = await this.#database.transaction(async (transaction) => {
      const [one] = await transitionGenerations(transaction, [transition], this.#watch);
      if (one !== undefined) await also(transaction);
      return one;
    });
    if (made !== undefined) this.#announcer.announce([made]);
    return made;
  }

  async #make(transitions: readonly Transition[]): Promise<Transitioned[]> {
    const made = await transitionGenerations(this.#database, transitions, this.#watch);
    this.#announcer.announce(made);
    return made;
  }

  async #unsettled(asked: readonly { id: string; accountId: string }[]): Promise<UnsettledRow[]> {
    return asked.length === 0 ? [] : readUnsettled(this.#database, asked);
  }
}

function adoptInto(adopted: Transition[], row: UnsettledRow, render: Render): UnsettledRow {
  adopted.push({ ...toRunning(row, render), at: row.at });
  return {
    ...row,
    status: 'running',
    submitted_at: row.at,
    prompt_id: render.prompt_id,
    project_id: render.project_id,
  };
}

/** Returns the last report about each render, but ignores reports after the one with its end. */
function latestByToken(reports: readonly RenderReport[]): Map<string, RenderReport> {
  const latest = new Map<string, RenderReport>();
  for (const one of reports) {
    const name = `${one.accountId} ${one.render.token}`;
    const before = latest.get(name)?.render.status;
    if (before === undefined || before === 'queued' || before === 'running') latest.set(name, one);
  }
  return latest;
}
