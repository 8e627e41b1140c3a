import { hash } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { writeAdminAudit } from '../audit/admin-audit.ts';
import { lockCatalog } from '../catalog/queries.ts';
import { parseRules } from './parse-rules.ts';
import { type RulesRow, selectRules, upsertFileDigest, upsertRules } from './store.ts';

/** `kept`: what is in force was changed by other means since, and only an operator's command may replace it. */
export type PutResult = 'applied' | 'unchanged' | 'kept';

/** The text of the rules in force; undefined before a studio or an operator has put any there. */
export async function findRulesInForce(database: Database): Promise<string | undefined> {
  return (await selectRules(database))?.text;
}

export type RulesText = {
  text: string;
  /** When the file was changed, where that counts: a copy that is older than what is in force is nobody's word. */
  changedAt?: Date | undefined;
};

/**
 * Puts in force what a file of rules says. `file`: it lies in a data directory, and counts where it differs from the one that
 * was applied last and nobody changed the rules since. `overwrite`: an operator's command, which always does.
 * @throws RulesInvalid
 */
export async function putRules(
  database: Database,
  { text, changedAt }: RulesText,
  mode: 'file' | 'overwrite',
): Promise<PutResult> {
  const after = summaryOf(text);
  return database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    const row = await selectRules(transaction);
    const before = row && summaryOf(row.text);
    const result = resultOf(row, before?.sha256, { digest: after.sha256, changedAt, mode });
    if (result === 'applied') {
      await upsertRules(transaction, text);
      await writeAdminAudit(transaction, mode === 'file' ? 'file' : 'operator', {
        action: 'moderation.applied',
        subject: 'moderation',
        ...(before && { before }),
        after,
      });
    }
    if (mode === 'file' && result !== 'kept') await upsertFileDigest(transaction, after.sha256);
    // Whatever file comes later, it finds that somebody has decided otherwise.
    else if (mode === 'overwrite' && row === undefined) await upsertFileDigest(transaction, '');
    return result;
  });
}

function resultOf(
  row: RulesRow | undefined,
  inForce: string | undefined,
  file: { digest: string; changedAt?: Date | undefined; mode: 'file' | 'overwrite' },
): PutResult {
  if (row === undefined) return 'applied';
  if (inForce === file.digest) return 'unchanged';
  if (file.mode === 'overwrite') return 'applied';
  const { file_digest: applied, changed_at: changedAt } = row;
  if (applied !== null && applied !== inForce) return 'kept';
  return file.changedAt !== undefined && file.changedAt < changedAt ? 'kept' : 'applied';
}

/** What the record of acts says of rules: their phrases are nobody else's business. */
function summaryOf(text: string): { rules: number; upload_rules: number; sha256: string } {
  const { rules, uploads } = parseRules(Buffer.from(text));
  return { rules: rules.length, upload_rules: uploads.rules.length, sha256: hash('sha256', text) };
}
