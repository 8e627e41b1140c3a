import type {
  Plan as PlanEntry,
  Style as StyleEntry,
} from '@renderkit/contract/studio/administration/lists.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { publishList, withCatalog } from '../catalog/publish.ts';
import { readList } from '../catalog/read-list.ts';
import type { CatalogLists } from '../catalog/snapshot.ts';
import { StudioError } from '../errors.ts';
import { type Asker, requireFreshSignIn } from './asker.ts';
import type { AdministrationHandlers } from './handler.ts';
import { planEntries, readListVersion, styleEntries } from './lists.ts';
import { countAccountsOfPlans } from './managed-store.ts';
import { previewList } from './preview-list.ts';
import { selectList, selectListVersions } from './store.ts';

/** Shows plans and styles, compares them with what is published, and publishes them as whole lists. */
export function listHandlers({
  database,
}: {
  database: Database;
}): Pick<
  AdministrationHandlers,
  | 'getPlans'
  | 'getPlansVersion'
  | 'previewPlans'
  | 'publishPlans'
  | 'getStyles'
  | 'getStylesVersion'
  | 'previewStyles'
  | 'publishStyles'
> {
  return {
    getPlans: async () => {
      const { version, content } = await published(database, 'plans');
      return {
        version,
        plans: planEntries(content),
        accounts: await countAccountsOfPlans(database),
        versions: await selectListVersions(database, 'plans'),
      };
    },
    getPlansVersion: async ({ params }) => {
      const version = Number(params.version);
      return { version, plans: planEntries(await readListVersion(database, 'plans', version)) };
    },
    previewPlans: async ({ body }) => {
      const [{ content }, accounts] = [
        await published(database, 'plans'),
        await countAccountsOfPlans(database),
      ];
      return previewList<PlanEntry>(planEntries(content), planEntries(contentOf('plans', body.plans)), {
        idOf: ({ key }) => key,
        accountsOf: (key) => accounts[key] ?? 0,
        mayGo: (key) =>
          (accounts[key] ?? 0) === 0 ? null : 'Accounts have this plan: give them another one first.',
      });
    },
    publishPlans: async ({ body, asker }) => {
      requireFreshSignIn(asker, 'Plans change');
      return publish(database, 'plans', body.plans, { asker, basedOn: body.version });
    },
    getStyles: async () => {
      const { version, content } = await published(database, 'styles');
      return {
        version,
        styles: styleEntries(content),
        versions: await selectListVersions(database, 'styles'),
      };
    },
    getStylesVersion: async ({ params }) => {
      const version = Number(params.version);
      return { version, styles: styleEntries(await readListVersion(database, 'styles', version)) };
    },
    previewStyles: async ({ body }) => {
      const { content } = await published(database, 'styles');
      const styles = styleEntries(contentOf('styles', body.styles));
      return previewList<StyleEntry>(styleEntries(content), styles, {
        idOf: ({ id }) => id,
        accountsOf: () => null,
        mayGo: () => null,
      });
    },
    publishStyles: async ({ body, asker }) =>
      publish(database, 'styles', body.styles, { asker, basedOn: body.version }),
  };
}

type Entries = { plans: readonly PlanEntry[]; styles: readonly StyleEntry[] };

async function publish<Name extends keyof Entries>(
  database: Database,
  name: Name,
  entries: Entries[Name],
  { asker, basedOn }: { asker: Asker; basedOn: number },
): Promise<{ version: number; changed: boolean }> {
  const content = contentOf(name, entries);
  return withCatalog(database, (transaction) =>
    publishList(transaction, name, content, asker.actor, basedOn),
  );
}

async function published<Name extends keyof Entries>(database: Database, name: Name) {
  const list = await selectList(database, name);
  // The product brings both lists, and a published list is never removed.
  if (list === undefined) throw new Error(`there is no list of ${name}`);
  return list;
}

/** Returns the entries as if read from their file, by the same rules. @throws StudioError that names the entry */
function contentOf<Name extends keyof Entries>(name: Name, entries: Entries[Name]): CatalogLists[Name] {
  // One entry per line: so the line of a problem tells which entry has it.
  const text = `{"${name}": [\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]}`;
  const { content, problems } = readList(name, text);
  if (problems === undefined) return content;
  throw new StudioError('invalid_request', problems[0]?.message ?? 'The list cannot be used.', {
    errors: problems.map(({ line = 0, message }) => ({
      field: `${name}[${line - 2}]`,
      message: message.replace(/\.$/, ''),
    })),
  });
}
