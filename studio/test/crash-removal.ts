import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import { removeAbandonedFolders } from '@renderkit/studio/storage/orphan-folders.ts';

// Removes folders that are due, once, as each studio does every minute: `crash-removal.ts DATABASE_URL PLACE`.
const [, , url = '', place = '{}'] = process.argv;
await using database = openDatabase({ url, applicationName: 'removal', poolSize: 1 });
await using storage = await openStorage(JSON.parse(place));
await removeAbandonedFolders(database, storage);
