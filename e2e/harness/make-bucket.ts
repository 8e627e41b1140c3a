// Makes the bucket that the S3 variables name, as the storage's own tools would. Runs on a machine of the storage's
// network.

import { readBucketOf } from '@renderkit/studio/config.ts';
import { openS3Client } from '@renderkit/blob-storage/s3/s3-client.ts';

await using client = openS3Client(readBucketOf(process.env));
await client.text({ method: 'PUT' });
