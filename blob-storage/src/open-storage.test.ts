import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { test } from 'node:test';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { openCheckedStorage } from './open-storage.ts';
import type { S3Config } from './s3/s3-config.ts';
import { startS3Counterpart } from './testing/s3-counterpart.ts';

async function assertTold(s3: S3Config, sentence: RegExp): Promise<void> {
  await assert.rejects(openCheckedStorage({ dataDirectory: '', s3 }), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, sentence);
    assert.match(error.message, /^The bucket \S+ at \S+ cannot be used: [^\n]*[^\s.]\.$/);
    return true;
  });
}

test('a wrong secret, key, bucket or address ends a start with a sentence', async () => {
  await using server = await startS3Counterpart();
  const { config } = server;
  await using _good = await openCheckedStorage({ dataDirectory: '', s3: config });
  const port = new URL(config.endpoint).port;
  const wrong: [Partial<S3Config>, RegExp][] = [
    [{ secretAccessKey: 'another' }, /the secret is not that of the access key: set S3_SECRET_ACCESS_KEY\.$/],
    [{ accessKeyId: 'ANOTHER' }, /does not know the access key/],
    [{ bucket: 'another' }, /^The bucket another at .* there is no such bucket/],
    [{ endpoint: 'http://127.0.0.1:9' }, /nothing answers there \(ECONNREFUSED\): set S3_ENDPOINT\.$/],
    [
      { endpoint: `https://127.0.0.1:${port}` },
      /no TLS connection can be made there \(ERR_SSL_\w+\): set S3_ENDPOINT with http:/,
    ],
    [
      { endpoint: 'http://nowhere.invalid:9000', pathStyle: false },
      /it was asked at media-of-tests\.nowhere\.invalid:9000: where .* set S3_PATH_STYLE=on\.$/,
    ],
  ];
  await Promise.all(wrong.map(([s3, sentence]) => assertTold({ ...config, ...s3 }, sentence)));
  // One more than the number of tries of a request.
  server.fail(Array.from({ length: 5 }, () => 'foreign_404' as const));
  await assertTold(config, /what answers there is no S3 storage \(404 text\/plain\): set S3_ENDPOINT/);
});

test('what is no storage, or cannot serve, ends a start with what to do next', async () => {
  await using owned = new AsyncDisposableStack();
  const listen = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    owned.defer(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const { config } = owned.use(await startS3Counterpart());
  const ends = await listen(createServer((socket) => void socket.on('error', () => {}).destroy()));
  const greets = await listen(createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-any\r\n')));
  const says = (status: number) =>
    listen(createHttpServer((_, response) => response.writeHead(status, { connection: 'close' }).end()));
  const noHttp = /does not answer in HTTP: set S3_ENDPOINT to the port of the storage/;
  await Promise.all([
    assertTold({ ...config, endpoint: ends }, noHttp),
    assertTold({ ...config, endpoint: greets }, noHttp),
    assertTold({ ...config, endpoint: await says(503) }, /it answered 503: look at the storage/),
    assertTold({ ...config, endpoint: await says(400) }, /it answered 400: set S3_ENDPOINT \(with http:/),
  ]);
});
