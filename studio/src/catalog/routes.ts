import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Handlers } from '../http/register-operations.ts';
import type { Catalog } from './open-catalog.ts';
import { catalogFor, catalogVersion } from './snapshot.ts';
import { ownStyles } from './store.ts';

export function catalogRoutes(database: Database, catalog: Catalog): Pick<Handlers, 'getCatalog'> {
  return {
    getCatalog: async ({ bearer: { account }, request, reply }) => {
      const snapshot = catalog.current();
      const etag = `"${catalogVersion(snapshot, account)}"`;
      reply.header('etag', etag).header('cache-control', 'private, no-cache');
      if (matches(request.headers['if-none-match'], etag)) {
        await reply.code(304).send();
        return undefined;
      }
      return catalogFor(
        snapshot,
        account,
        account.styles_version === 0 ? [] : await ownStyles(database, account.id),
      );
    },
  };
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
