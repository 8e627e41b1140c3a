import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { Handle } from '@renderkit/engine-kit/driver.ts';
import type { EngineName } from '@renderkit/engine-kit/route.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';

/** A submission that this worker holds by its lease, with the request of its render. */
export type Claim = {
  /** The submission's id: a UUID in lower case. */
  id: string;
  /** The fence: every later write to the render names this attempt. */
  attempt: number;
  /** `lost`: its fate is unknown, and the worker searches for it. */
  state: 'intended' | 'sent' | 'lost';
  backend: string;
  model_id: string;
  version: number;
  route: number;
  /** Which of the render's outputs this job makes: the first, 0-based, and how many. */
  first_output: number;
  outputs: number;
  handle: Handle;
  created_at: Date;
  /** When its request was begun: before that the engine certainly did not have the job. */
  begun_at: Date | null;
  sent_at: Date | null;
  lost_at: Date | null;
  render_id: string;
  account_id: string;
  token: string;
  lane: Lane;
  /** Null once its account is erased. */
  request: RenderRequest | null;
  expected_outputs: number;
  seed: number | null;
};

const claimColumns = `s.id, s.attempt, s.state, s.backend, s.model_id, s.version, s.route, s.first_output, s.outputs,
  s.handle, s.created_at, s.begun_at, s.sent_at, s.lost_at, r.id as render_id, r.account_id, r.token, r.lane, r.request,
  r.expected_outputs, r.seed`;

/**
 * Claims the next render that a backend can make, for one of its slots. `lanes`: for a local engine the lanes in which
 * this worker has slots; `null` for a backend behind an address, whose slots are counted by its live submissions.
 * Returns `undefined` if there is nothing to do or no slot is free.
 */
export async function claimRender(
  database: Database,
  asked: { backend: string; worker: string; leaseMs: number; lanes: readonly Lane[] | null },
): Promise<Claim | undefined> {
  const [claim] = await database.rows<Claim>(
    `select ${claimColumns} from claim_render($1, $2, $3 * interval '1 millisecond', $4) s
     join renders r on r.id = s.render_id`,
    [asked.backend, asked.worker, asked.leaseMs, asked.lanes],
    'claim_render',
  );
  return claim;
}

/** A backend that a worker claims for. */
export type ServedBackend = {
  name: string;
  engine: EngineName;
  /** Jobs that this process may have there at once, if they run on its own machine; `null`: the claim counts them. */
  own_slots: number | null;
  /** Whether a claim may find something; false while all slots are taken or the backend takes nothing. */
  has_room: boolean;
  /** Whether the time for what runs there is over: see `findDrained`. */
  is_drained: boolean;
};

/**
 * Returns the backends of these engines. Of those whose jobs run on the worker's own machine, only the ones whose name
 * or label is in `labels`; all if `labels` is empty.
 */
export async function findServed(
  database: Database,
  { engines, labels }: { engines: readonly string[]; labels: readonly string[] },
): Promise<ServedBackend[]> {
  return database.rows<ServedBackend>(
    `select name, engine, case when is_local then coalesce(slots, 1) end as own_slots,
       coalesce(free_slots(b) > 0, true) as has_room, wanted = 'draining' and coalesce(drain_until <= clock(), false) as is_drained
     from backends b where engine = any($1)
       and (not is_local or cardinality($2::text[]) = 0 or name = any($2) or labels && $2)
     order by name`,
    [engines, labels],
    'find_served_backends',
  );
}

/**
 * Begins the next job of a render on the same backend. Returns the submission's id, `undefined` if today's money is
 * used up. The caller must have locked the render.
 */
export async function beginSubmission(
  transaction: Transaction,
  asked: { render: string; backend: string; route: number; worker: string; leaseMs: number },
): Promise<string | undefined> {
  const [row] = await transaction.rows<{ id: string }>(
    `select id from begin_submission($1, $2, $3, $4, $5 * interval '1 millisecond')`,
    [asked.render, asked.backend, asked.route, asked.worker, asked.leaseMs],
    'begin_submission',
  );
  return row?.id;
}

/** Returns whether another backend may yet make a render that failed on one, even if that backend is down for now. */
export async function hasOtherBackend(
  transaction: Transaction,
  { render_id: render }: Pick<Claim, 'render_id'>,
): Promise<boolean> {
  const [row] = await transaction.rows<{ has: boolean }>('select has_other_backend($1) as has', [render]);
  return row?.has ?? false;
}

/**
 * Renews the leases that this worker still holds, in one statement, and returns their ids. The others were taken over.
 */
export async function renewLeases(
  database: Database,
  leases: { ids: readonly string[]; worker: string; leaseMs: number },
): Promise<Set<string>> {
  const rows = await database.rows<{ id: string }>(
    `update submissions set lease_until = clock() + $3 * interval '1 millisecond'
     where id = any($1::uuid[]) and owner = $2 and state in ('intended', 'sent', 'lost') returning id`,
    [leases.ids, leases.worker, leases.leaseMs],
    'renew_submission_leases',
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns which of these submissions another worker has by now. Those that this worker has ended are not among them.
 */
export async function findTaken(
  database: Database,
  { ids, worker }: { ids: readonly string[]; worker: string },
): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select asked.id from unnest($1::uuid[]) as asked (id)
     where not exists (select from submissions s where s.id = asked.id and s.owner = $2)`,
    [ids, worker],
    'find_taken_submissions',
  );
  return rows.map(({ id }) => id);
}

/** Releases all that a worker holds, so that other workers take it over at once. Returns how many. */
export async function releaseLeases(database: Database, worker: string): Promise<number> {
  return database.execute(
    `update submissions set lease_until = clock()
     where owner = $1 and state in ('intended', 'sent', 'lost') and lease_until > clock()`,
    [worker],
  );
}

/**
 * Takes over submissions on these backends whose lease has run out. Increases their renders' attempts, so that the
 * previous worker can write no more. Leaves out what this worker itself still runs (`held`): a process that stood still
 * for longer than a lease continues with it and renews the lease.
 */
export async function takeOver(
  database: Database,
  asked: {
    backends: readonly string[];
    worker: string;
    leaseMs: number;
    held: readonly string[];
    atMost: number;
  },
): Promise<Claim[]> {
  return database.rows<Claim>(
    `with expired as (
       select s.id, r.id as render_id from submissions s join renders r on r.id = s.render_id
       where s.state in ('intended', 'sent', 'lost') and s.lease_until <= clock() and s.backend = any($1)
         and s.id <> all($5::uuid[])
       order by s.lease_until limit $4 for update of r, s skip locked
     ), fenced as (
       update renders r set attempt = attempt + 1 from expired e where r.id = e.render_id returning r.*
     ), taken as (
       update submissions s set owner = $2, lease_until = clock() + $3 * interval '1 millisecond', attempt = r.attempt
       from expired e join fenced r on r.id = e.render_id
       where s.id = e.id
       returning s.*
     )
     select ${claimColumns} from taken s join fenced r on r.id = s.render_id`,
    [asked.backends, asked.worker, asked.leaseMs, asked.atMost, asked.held],
    'take_over_submissions',
  );
}

/**
 * Turns what was reserved for a job into what it cost. `null`: the bill is unknown, and the reserved amount counts. The
 * caller must end the submission in the same transaction, once. A job whose fate stays unknown is not settled: its
 * money stays reserved.
 */
export async function settleCost(
  transaction: Transaction,
  submission: string,
  actual: number | null,
): Promise<void> {
  await transaction.execute('select settle_cost($1, $2)', [submission, actual]);
}
