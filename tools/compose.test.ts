// Tests deploy/compose.yaml: compose accepts it, and each part gets exactly the variables that it needs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseYaml } from '@redocly/openapi-core';
import { assertEnvironment, assertSameMedia } from './part-environments.ts';
import { assertSchema, readSchema } from './schemas/assert-schema.ts';

const run = promisify(execFile);
const deploy = path.join(import.meta.dirname, '../deploy');

type Compose = {
  'x-media': Record<string, string>;
  services: Record<
    string,
    {
      image: string;
      environment?: Record<string, string | null>;
      secrets?: string[];
      read_only?: boolean;
      networks: string[];
      healthcheck?: object;
      depends_on?: Record<string, { condition: string }>;
    }
  >;
  networks: object;
  secrets: Record<string, { file: string }>;
};

const readCompose = async () =>
  parseYaml(await readFile(path.join(deploy, 'compose.yaml'), 'utf8')) as Compose;

/** Replaces `${NAME:-default}` by its default. A variable without a value in the file becomes an empty text. */
const withDefaults = (text: string | null) => (text ?? '').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

const environmentOf = (services: Compose['services'], part: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(services[part]?.environment ?? {}).map(([name, text]) => [name, withDefaults(text)]),
  );

describe('deploy/compose.yaml', () => {
  test('follows the schema of compose', async () => {
    assertSchema(await readSchema('compose'), await readCompose());
  });

  for (const part of ['migrate', 'studio', 'worker', 'service'] as const)
    test(`gives the ${part} what it needs, and secrets as files`, async () => {
      const { services, 'x-media': media } = await readCompose();
      const { secrets = [], read_only, healthcheck } = services[part] ?? assert.fail(part);
      const environment = Object.entries(environmentOf(services, part));
      const given = Object.fromEntries(environment.filter(([name]) => !(name in media)));
      const shared = Object.fromEntries(environment.filter(([name]) => name in media));
      await assertEnvironment(part, given, shared);
      const named = Object.values(given).filter((text) => text.startsWith('/run/secrets/'));
      assert.deepEqual(named.map((file) => file.replace('/run/secrets/', '')).sort(), secrets.toSorted());
      assert.equal(read_only, true);
      assert.ok(healthcheck);
    });

  test('tells the service where media lie, as it tells the studio', async () => {
    const { services } = await readCompose();
    assertSameMedia(environmentOf(services, 'service'), environmentOf(services, 'studio'));
  });

  test('has no empty default, which some podman-compose hand on as it is written', async () => {
    const text = await readFile(path.join(deploy, 'compose.yaml'), 'utf8');
    for (const [all, otherwise = ''] of text.matchAll(/\$\{\w+(?::-([^}]*))?\}/g))
      assert.notEqual(
        otherwise,
        '',
        `${all} has no value where nothing is set: hand the variable on by its name`,
      );
  });

  test('waits for services that there are, until they are healthy or done', async () => {
    const { services, networks } = await readCompose();
    for (const [name, service] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const isHealthy = condition === 'service_healthy';
        assert.ok(isHealthy || condition === 'service_completed_successfully', `${name} waits for ${other}`);
        if (isHealthy) assert.ok(services[other]?.healthcheck, `${other} has a healthcheck`);
      }
      for (const network of service.networks) assert.ok(network in networks, `${name} is in ${network}`);
    }
  });

  test('names secrets that make-secrets.sh makes, once and for ever', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-secrets-'));
    try {
      const make = async () => {
        await run('sh', [path.join(deploy, 'compose/make-secrets.sh'), folder]);
        const names = (await readdir(folder)).sort();
        return Object.fromEntries(
          await Promise.all(
            names.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')] as const),
          ),
        );
      };
      const made = await make();
      const { services, secrets } = await readCompose();
      assert.deepEqual(
        Object.values(secrets)
          .map(({ file }) => path.basename(file))
          .sort(),
        Object.keys(made),
      );
      const used = Object.values(services).flatMap((service) => service.secrets ?? []);
      assert.deepEqual([...new Set(used)].sort(), Object.keys(secrets).sort());
      assert.match(made['secret_key'] ?? '', /^[0-9a-f]{64}$/);
      assert.deepEqual(await make(), made);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test('deploy/compose/make-databases.sh shows no password in the arguments of a process', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-databases-'));
  t.after(() => rm(folder, { recursive: true }));
  // Replaces psql and runuser: the script records its arguments and its input.
  const psql = `#!/bin/sh\nprintf '%s\\n' "$0 $*" >> ${folder}/arguments\ncat >> ${folder}/statements\n`;
  for (const name of ['psql', 'runuser']) await writeFile(path.join(folder, name), psql, { mode: 0o755 });
  await writeFile(path.join(folder, 'service_password'), '0123abc\n');
  await writeFile(path.join(folder, 'studio_password'), `it's \\n\n`);
  await run('sh', [path.join(deploy, 'compose/make-databases.sh')], {
    env: { PATH: `${folder}:${process.env['PATH']}`, SECRETS: folder },
  });
  const told = await readFile(path.join(folder, 'arguments'), 'utf8');
  assert.equal(told.match(/psql --no-psqlrc/g)?.length, 2);
  assert.doesNotMatch(told, /0123abc|it's/);
  const statements = await readFile(path.join(folder, 'statements'), 'utf8');
  assert.deepEqual(
    statements.split('\n').filter((line) => line.startsWith('\\set ')),
    [`\\set password '0123abc'`, `\\set password 'it\\'s \\\\n'`],
  );
  assert.equal(statements.match(/^revoke connect on database :"name" from public;$/gm)?.length, 2);
});
