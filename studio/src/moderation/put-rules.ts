import { hash } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { writeAdminAudit } from '../audit/admin-audit.ts';
import { lockCatalog } from '../catalog/queries.ts';
import { parseRules } from './parse-rules.ts';
import { type AppliedFiles, type RulesRow, selectRules, upsertAppliedFiles, upsertRules } from './store.ts';

/** `kept`: what is in force was changed by other means since, and only an operator's command may replace it. */
export type PutResult = 'applied' | 'unchanged' | 'kept';

/** How rules come in. */
export type PutMode =
  /** They lie in a data directory, and count where they differ from what was applied last and nobody changed the rules since. */
  | { by: 'file'; changedAt?: Date | undefined }
  /** The studio has just made the file of the rules in force: nobody has said anything. */
  | { by: 'copy' }
  /** An operator's command, which always counts. `isDataFile`: with the file in the data directory, which counts again from now on. */
  | { by: 'operator'; isDataFile?: boolean };

/** So many texts are remembered as having been applied from a file. */
const rememberedFiles = 100;

/** The text of the rules in force; undefined before a studio or an operator has put any there. */
export async function findRulesInForce(database: Database): Promise<string | undefined> {
  return (await selectRules(database))?.text;
}

/** Puts rules in force for every process. @throws RulesInvalid */
export async function putRules(database: Database, text: string, mode: PutMode): Promise<PutResult> {
  const { rules, uploads } = parseRules(Buffer.from(text));
  const digest = hash('sha256', text);
  return database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    const row = await selectRules(transaction);
    const inForce = row && hash('sha256', row.text);
    const result = resultOf(row, inForce, digest, mode);
    if (result === 'applied') {
      await upsertRules(transaction, text);
      // How many there are; the phrases are nobody else's business.
      await writeAdminAudit(transaction, mode.by === 'operator' ? 'operator' : 'file', {
        action: 'moderation.applied',
        subject: 'moderation',
        ...(inForce !== undefined && { before: { sha256: inForce } }),
        after: { sha256: digest, rules: rules.length, upload_rules: uploads.rules.length },
      });
    }
    const files = filesAfter(row?.files ?? null, digest, result, mode);
    if (files !== undefined) await upsertAppliedFiles(transaction, files);
    return result;
  });
}

function resultOf(
  row: RulesRow | undefined,
  inForce: string | undefined,
  digest: string,
  mode: PutMode,
): PutResult {
  if (row === undefined) return 'applied';
  if (inForce === digest) return 'unchanged';
  if (mode.by !== 'file') return mode.by === 'operator' ? 'applied' : 'kept';
  const { files, changed_at: changedAt } = row;
  // Null: an earlier release put them there, from its file.
  if (files !== null && files.last !== inForce) return 'kept';
  // An old copy, which lies in the directory of another studio: to bring old rules back, somebody writes them anew.
  const mayBeOld = files === null || files.before.includes(digest);
  return mayBeOld && mode.changedAt !== undefined && mode.changedAt < changedAt ? 'kept' : 'applied';
}

/** What is remembered of files from then on; undefined where nothing changes. */
function filesAfter(
  files: AppliedFiles | null,
  digest: string,
  result: PutResult,
  mode: PutMode,
): AppliedFiles | undefined {
  const isFile = mode.by === 'file' || (mode.by === 'operator' && mode.isDataFile === true);
  const isFirst = mode.by === 'copy' && result === 'applied';
  if (isFirst || (isFile && result !== 'kept'))
    return files?.last === digest
      ? undefined
      : { last: digest, before: [...(files?.before ?? []), digest].slice(-rememberedFiles) };
  // Whatever file comes later, it finds that somebody has decided otherwise.
  if (mode.by === 'operator' && files === null) return { last: null, before: [] };
  return undefined;
}
