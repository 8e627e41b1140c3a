import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import { type Database, isDatabaseUnavailable, type Queryable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { QueryResultRow } from 'pg';
import type { CrashPoint } from '../crash-point.ts';
import { failedMove, finalMove, runningMove } from './compose-transition.ts';
import { barredError, type GenerationError } from './failure.ts';
import { readDoubtful, readUnsettled, type UnsettledRow } from './store.ts';
import { moveOnce } from './transition-once.ts';
import { type Move, type Moved, moveGenerations } from './transition-store.ts';

/** What the studio says of one of an account's renders. */
export type Said = { accountId: string; render: Render };

export type Settlement = {
  /**
   * Brings generations to where the studio says their renders are; what it never submitted it passes by, and what
   * reached its last status stays. `cursors` say how far the feeds are applied with this.
   */
  apply: (said: readonly Said[], cursors?: readonly { accountId: string; cursor: number }[]) => Promise<void>;
  /** Fails generations that the studio will never take, whoever told it so. */
  bar: (barred: readonly { id: string; accountId: string }[]) => Promise<void>;
  /** Fails a generation that is in the given state still. False where it moved meanwhile. */
  fail: (failure: {
    id: string;
    accountId: string;
    from: 'queued' | 'running';
    attempt?: number;
    untouched?: boolean;
    error: GenerationError;
  }) => Promise<boolean>;
  /** One move, in one statement with the others of the moment. Undefined where the generation moved meanwhile. */
  move: (move: Move) => Promise<Moved | undefined>;
  /** One move in a transaction of its own, with what `also` does there; nothing of it where the generation moved meanwhile. */
  moveWith: (move: Move, also: (transaction: Queryable) => Promise<void>) => Promise<Moved | undefined>;
  /** Tokens of an account's submits whose outcome is not known. */
  doubtful: (accountId: string) => Promise<string[]>;
};

export type SettlementOptions = {
  database: Database;
  /** Names this process in watches. */
  watcher: string;
  watchLeaseMs: number;
  /** Told of what moved once it is committed. */
  onMoved: (moved: readonly Moved[]) => void;
  crashPoint?: CrashPoint | undefined;
};

const movesPerStatement = 128;
const statementsInFlight = 2;

export function createSettlement(options: SettlementOptions): Settlement {
  const { database, crashPoint } = options;
  const watch = { watcher: options.watcher, leaseMs: options.watchLeaseMs };

  const move = createBatcher<Move, Moved | undefined>({
    run: (moves) =>
      moveOnce(moves, async (distinct) => {
        const moved = await moveGenerations(database, distinct, watch);
        options.onMoved(moved);
        return moved;
      }),
    maxSize: movesPerStatement,
    maxInFlight: statementsInFlight,
    isHopeless: isDatabaseUnavailable,
  });

  return {
    move,
    moveWith: async (one, also) => {
      const moved = await database.transaction(async (transaction) => {
        const [made] = await moveGenerations(within(transaction), [one], watch);
        if (made !== undefined) await also(transaction);
        return made;
      });
      if (moved !== undefined) options.onMoved([moved]);
      return moved;
    },
    apply: async (said, cursors = []) => {
      const latest = latestByToken(said);
      const rows =
        latest.size === 0
          ? []
          : await readUnsettled(
              database,
              [...latest.values()].map(({ accountId, render }) => ({ id: render.token, accountId })),
            );
      const adopted: Move[] = [];
      const settled: Move[] = [];
      for (const row of rows) {
        const render = latest.get(`${row.account_id} ${row.id}`)?.render as Render;
        const current = row.status === 'queued' ? adoptInto(adopted, row, render) : row;
        if (render.status === 'succeeded' || render.status === 'failed')
          settled.push(finalMove(current, render));
      }
      if (adopted.length > 0) options.onMoved(await moveGenerations(database, adopted, watch));
      await crashPoint?.('settle-judged');
      const moved = await moveGenerations(database, settled, { ...watch, cursors });
      await crashPoint?.('settle-committed');
      options.onMoved(moved);
    },
    bar: async (barred) => {
      if (barred.length === 0) return;
      const rows = await readUnsettled(database, barred);
      const moves = rows.map((row) =>
        failedMove(row, { from: row.status === 'queued' ? 'queued' : 'running', error: barredError(row) }),
      );
      options.onMoved(await moveGenerations(database, moves, watch));
    },
    fail: async (failure) => {
      const [row] = await readUnsettled(database, [failure]);
      if (row === undefined || row.status !== failure.from) return false;
      return (await move(failedMove(row, failure))) !== undefined;
    },
    doubtful: (accountId) => readDoubtful(database, accountId),
  };
}

function within(transaction: Queryable): Pick<Database, 'rows'> {
  return {
    rows: async <Row extends QueryResultRow>(text: string, values: unknown[] = [], name?: string) =>
      (await transaction.query<Row>({ text, values, ...(name !== undefined && { name }) })).rows,
  };
}

function adoptInto(adopted: Move[], row: UnsettledRow, render: Render): UnsettledRow {
  adopted.push({ ...runningMove(row, render), at: row.at });
  return {
    ...row,
    status: 'running',
    submitted_at: row.at,
    prompt_id: render.prompt_id,
    project_id: render.project_id,
  };
}

/** Of several words about one render the last holds, but nothing comes after its end. */
function latestByToken(said: readonly Said[]): Map<string, Said> {
  const latest = new Map<string, Said>();
  for (const one of said) {
    const name = `${one.accountId} ${one.render.token}`;
    const before = latest.get(name)?.render.status;
    if (before === undefined || before === 'queued' || before === 'running') latest.set(name, one);
  }
  return latest;
}
