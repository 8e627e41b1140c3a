import { copyMedia } from '@renderkit/blob-storage/copy-media.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';

// Copies the media of a data directory to a bucket, as the operator's command does: `crash-copy.ts DIRECTORY CONFIG`.
const [, , dataDirectory = '', config = ''] = process.argv;
await using disk = await openStorage({ dataDirectory });
await using bucket = await openStorage({ dataDirectory, s3: JSON.parse(config) });
await copyMedia(disk, bucket);
