import assert from 'node:assert/strict';
import type { ListedBlob } from '../blob-storage.ts';
import type { S3Client } from './s3-client.ts';
import { readElements, readTag } from './s3-xml.ts';

/**
 * Lists the objects whose keys begin with the prefix, in pages. Without a prefix lists every object of the bucket,
 * including those of others.
 */
export async function* listObjects(client: S3Client, prefix = ''): AsyncGenerator<ListedBlob[]> {
  for (let token: string | undefined = ''; token !== undefined;) {
    const query: Record<string, string> = { 'list-type': '2', 'encoding-type': 'url', prefix };
    if (token !== '') query['continuation-token'] = token;
    const page = await readListing(client, query, 'ListBucketResult');
    yield readElements(page, 'Contents').map((item) => ({
      key: decodeURIComponent((readTag(item, 'Key') ?? '').replaceAll('+', ' ')),
      sizeBytes: Number(readTag(item, 'Size')),
      storedAt: new Date(readTag(item, 'LastModified') ?? 0),
    }));
    token = readTag(page, 'NextContinuationToken');
  }
}

/** Returns one page of a listing of the bucket, with this root element. */
export async function readListing(
  client: S3Client,
  query: Record<string, string>,
  element: 'ListBucketResult' | 'ListMultipartUploadsResult',
): Promise<string> {
  const page = await client.text({ method: 'GET', query, element });
  assert(page !== undefined, 'only an object or an upload can be missing');
  return page;
}
