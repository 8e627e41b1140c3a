import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Handlers } from '../register-operations.ts';
import { catalogFor, catalogVersion } from './catalog.ts';
import { ownStyles } from './store.ts';

export function catalogRoutes(database: Database): Pick<Handlers, 'getCatalog'> {
  return {
    getCatalog: async ({ bearer: { account }, request, reply }) => {
      const etag = `"${catalogVersion(account)}"`;
      reply.header('etag', etag).header('cache-control', 'private, no-cache');
      if (matches(request.headers['if-none-match'], etag)) {
        await reply.code(304).send();
        return undefined;
      }
      return catalogFor(account, account.styles_version === 0 ? [] : await ownStyles(database, account.id));
    },
  };
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
