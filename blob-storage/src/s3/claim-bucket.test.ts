import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmptyBucket } from '../testing/open-empty-bucket.ts';
import { startS3Counterpart } from '../testing/s3-counterpart.ts';
import { openS3BlobStorage } from './s3-blob-storage.ts';

for (const conditions of ['known', 'overlooked', 'refused'] as const)
  test(`of studios that claim an empty bucket at one moment one has it, with conditions ${conditions}`, async () => {
    await using server = await startS3Counterpart();
    server.conditions = conditions;
    const owners = ['std_one', 'std_two', 'std_three'];
    const gate = Promise.withResolvers<void>();
    let looks = 0;
    // No process gets an answer before all have asked for the owner, so that each sees an empty bucket.
    server.onRequest = ({ method, key: asked }) => {
      if (method !== 'GET' || asked !== 'renderkit-studio') return undefined;
      if (++looks === owners.length) gate.resolve();
      return gate.promise;
    };
    const told = await Promise.all(
      owners.map(async (owner) => {
        await using storage = openS3BlobStorage(server.config, [1, 1, 1]);
        return await storage.claim(owner);
      }),
    );
    const written = server.objects.get('renderkit-studio')?.bytes.toString();
    assert.ok(written !== undefined && owners.includes(written));
    assert.deepEqual(told, [written, written, written]);
    assert.deepEqual([...server.objects.keys()], ['renderkit-studio'], 'nothing else is left');
  });

test('a claim whose answer was lost is that of the studio', async () => {
  await using storage = await openEmptyBucket();
  const { server } = storage;
  server.fail(['lost_answer'], ({ method, key: asked }) => method === 'PUT' && asked === 'renderkit-studio');
  assert.equal(await storage.claim('std_one'), 'std_one');
  assert.equal(server.objects.get('renderkit-studio')?.bytes.toString(), 'std_one');
});

test('who was killed while it claimed a bucket in turn stands in the way for ten minutes', async () => {
  await using storage = await openEmptyBucket();
  const { server } = storage;
  server.conditions = 'overlooked';
  const stood = { bytes: Buffer.from('std_dead'), headers: {} };
  server.objects.set('renderkit-claim-00', { ...stood, storedAt: new Date(Date.now() - 11 * 60_000) });
  assert.equal(await storage.claim('std_one'), 'std_one');
  server.objects.delete('renderkit-studio');
  server.objects.set('renderkit-claim-00', { ...stood, storedAt: new Date(Date.now() - 9 * 60_000) });
  const claim = storage.claim('std_two');
  let looks = 0;
  server.onRequest = ({ method, key: asked }) => {
    if (method === 'GET' && asked === 'renderkit-studio' && ++looks === 3)
      server.objects.delete('renderkit-claim-00');
  };
  assert.equal(await claim, 'std_two');
  assert.ok(looks >= 3, 'it stepped back and came again');
});
