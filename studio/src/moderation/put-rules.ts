import { hash } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { writeAdminAudit } from '../audit/admin-audit.ts';
import { lockCatalog } from '../catalog/queries.ts';
import { parseRules } from './parse-rules.ts';
import { type AppliedFiles, type RulesRow, selectRules, upsertAppliedFiles, upsertRules } from './store.ts';

/** `kept`: the rules in force were changed by other means since, and only an operator's command may replace them. */
export type PutResult = 'applied' | 'unchanged' | 'kept';

/** The source of the rules. */
export type PutMode =
  /**
   * A file in a data directory. It applies if it differs from the file applied last and the rules were not changed
   * otherwise since.
   */
  | { by: 'file'; changedAt?: Date | undefined }
  /** A copy of the rules in force that the studio has just written to a file; nobody has made a choice. */
  | { by: 'copy' }
  /**
   * An operator's command, which always applies. `isDataFile`: with the file in the data directory, whose changes apply
   * again afterwards.
   */
  | { by: 'operator'; isDataFile?: boolean };

/** The number of texts that are remembered as applied from a file. */
const rememberedFiles = 100;

/** Returns the text of the rules in force; `undefined` before a studio or an operator has stored any. */
export async function findRulesInForce(database: Database): Promise<string | undefined> {
  return (await selectRules(database))?.text;
}

/** Stores rules for all processes. @throws RulesInvalid */
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
      // Writes only how many rules there are; the phrases are private.
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
  // `null`: an earlier release stored the rules from its file.
  if (files !== null && files.last !== inForce) return 'kept';
  // The file may be an old copy in the directory of another studio. An operator who wants old rules back writes the
  // file again.
  const mayBeOld = files === null || files.before.includes(digest);
  return mayBeOld && mode.changedAt !== undefined && mode.changedAt < changedAt ? 'kept' : 'applied';
}

/** Returns what is remembered about files after this call; `undefined` when nothing changes. */
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
  // Records that an operator has decided otherwise, for files that are read later.
  if (mode.by === 'operator' && files === null) return { last: null, before: [] };
  return undefined;
}
