import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type ToldAccount, toldAccount } from '../authentication/queries.ts';

export type AccountRow = ToldAccount & {
  running: number;
  limits: { image: number; edit: number; video: number; overall: number };
  /** Whether the operator set the storage limit; otherwise the plan did. */
  storage_set: boolean;
  created_at: string;
};

const accountRow = `${toldAccount}, (select count(*) from renders r where r.account_id = a.id and r.status in ('queued', 'running')
    and r.completed_at is null) as running,
  json_build_object('image', a.limit_image, 'edit', a.limit_edit, 'video', a.limit_video, 'overall', a.limit_overall) as limits,
  a.storage_override_bytes is not null as storage_set, iso_time(a.created_at) as created_at`;

export async function findAccountByEmail(database: Database, email: string): Promise<AccountRow | undefined> {
  const [row] = await database.rows<AccountRow>(
    `select ${accountRow} from accounts a where lower(email) = lower($1)`,
    [email],
  );
  return row;
}

export async function listAccounts(database: Database): Promise<AccountRow[]> {
  return database.rows<AccountRow>(
    `select ${accountRow} from accounts a where deleted_at is null order by a.created_at, id`,
  );
}

/** Sets how the next quote fails; `takeInjectedError` in `studio/src/renders/store.ts` reads and clears it. */
export async function updateFault(database: Database, account: string, fault: string): Promise<void> {
  await database.rows('update accounts set next_fault = $2 where id = $1', [account, fault]);
}

/** Removes expired reset links, a batch at a time. */
export async function deleteEndedResets(database: Database, atMost: number): Promise<number> {
  const rowCount = await database.execute(
    `delete from password_resets where ctid = any(array(
       select ctid from password_resets where expires_at <= clock() limit $1))`,
    [atMost],
  );
  return rowCount;
}
