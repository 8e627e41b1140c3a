// Tests deploy/kustomize: Kubernetes accepts every object, and each part gets exactly the variables that it needs.
// Everything that an object selects, mounts or names exists.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseYaml } from '@redocly/openapi-core';
import { findProgram } from './find-program.ts';
import { assertEnvironment, assertKnown, assertSameMedia, type PartName } from './part-environments.ts';
import { assertSchema, readSchema } from './schemas/assert-schema.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../deploy/kustomize');
const overlays = ['single', 'scaled'];
/** A person applies this one over their own overlay. */
const operator = 'operator';
/** A file for prometheus-adapter, not a Kubernetes object. */
const notApplied = 'prometheus-adapter.yaml';

type Selector = { matchLabels?: Record<string, string> };
type Container = {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; value: string }[];
  envFrom?: { configMapRef: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: { readOnlyRootFilesystem: boolean; capabilities: { drop: string[] } };
  volumeMounts: { name: string; mountPath: string }[];
};
type PodSpec = {
  securityContext: { runAsNonRoot: boolean };
  containers: Container[];
  volumes: { name: string; secret?: { items: { path: string }[] } }[];
};
type KubernetesObject = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    selector: Selector & Record<string, string>;
    ports: { targetPort: string }[];
    scaleTargetRef: { name: string };
    metrics: { external: { metric: { name: string } } }[];
  };
};
type Kustomization = {
  resources: string[];
  images: { name: string; newTag: string }[];
  replicas?: { name: string }[];
  configMapGenerator: { name: string; literals: string[] }[];
};

async function readDocuments<T>(...file: string[]): Promise<T[]> {
  const text = await readFile(path.join(root, ...file), 'utf8');
  return text.split(/^---$/m).map((document) => parseYaml(document) as T);
}

async function readKustomization(folder: string): Promise<Kustomization> {
  const [kustomization] = await readDocuments<Kustomization>(folder, 'kustomization.yaml');
  return kustomization ?? assert.fail(folder);
}

/** Returns all objects that the folder's kustomization names. Asserts that it names every file in the folder. */
async function readObjects(folder: string): Promise<KubernetesObject[]> {
  const { resources } = await readKustomization(folder);
  const files = resources.filter((name) => name.endsWith('.yaml'));
  const there = await readdir(path.join(root, folder));
  assert.deepEqual(
    files.toSorted(),
    there.filter((name) => !['kustomization.yaml', notApplied].includes(name)).sort(),
  );
  const found = await Promise.all(files.map((file) => readDocuments<KubernetesObject>(folder, file)));
  return found.flat();
}

/** Returns the variables of an overlay, by the name of their config map. */
async function readConfigMaps(overlay: string): Promise<Map<string, Record<string, string>>> {
  const { configMapGenerator } = await readKustomization(`overlays/${overlay}`);
  return new Map(
    configMapGenerator.map(({ name, literals }) => [
      name,
      Object.fromEntries(
        literals.map((literal) => [
          literal.slice(0, literal.indexOf('=')),
          literal.slice(literal.indexOf('=') + 1),
        ]),
      ),
    ]),
  );
}

const podsOf = (objects: KubernetesObject[]) =>
  objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');

describe('deploy/kustomize', () => {
  for (const folder of ['base', operator, ...overlays.map((name) => `overlays/${name}`)])
    test(`${folder} has objects of Kubernetes' schema`, async () => {
      const { kinds, definitions } = (await readSchema('kubernetes')) as {
        kinds: Record<string, string>;
        definitions: object;
      };
      for (const object of await readObjects(folder)) {
        const model =
          kinds[`${object.apiVersion} ${object.kind}`] ?? assert.fail(`${object.kind} has no schema`);
        assertSchema({ definitions, $ref: `#/definitions/${model}` }, object);
      }
    });

  for (const overlay of overlays)
    test(`${overlay} gives each part what it needs, and secrets as files`, async () => {
      const maps = await readConfigMaps(overlay);
      assertKnown(Object.assign({}, ...maps.values()) as Record<string, string>);
      const pods = podsOf([...(await readObjects('base')), ...(await readObjects(operator))]);
      for (const { spec } of pods) {
        const { containers, volumes } = spec.template.spec;
        for (const { name: container, args, env = [], envFrom = [], volumeMounts } of containers) {
          const shared = envFrom.map(({ configMapRef: { name } }) => maps.get(name) ?? assert.fail(name));
          const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
          await assertEnvironment(
            (args?.[0] ?? container) as PartName,
            given,
            Object.assign({}, ...shared) as Record<string, string>,
          );
          const files = Object.entries(given).filter(([name]) => name.endsWith('_FILE'));
          const folder = volumeMounts.find(({ name }) => name === 'secrets')?.mountPath;
          const items = volumes.find(({ name }) => name === 'secrets')?.secret?.items ?? [];
          assert.deepEqual(
            files.map(([, file]) => file),
            items.map((item) => `${folder}/${item.path}`),
          );
        }
      }
    });

  test('the service is told where media lie, as the studio is', async () => {
    const pods = podsOf(await readObjects('base'));
    for (const overlay of overlays) {
      const maps = await readConfigMaps(overlay);
      const [service, studio] = ['service', 'studio'].map((part) => {
        const [{ env = [], envFrom = [] } = assert.fail(part)] = pods
          .flatMap(({ spec }) => spec.template.spec.containers)
          .filter(({ name }) => name === part);
        const shared = envFrom.map(({ configMapRef: { name } }) => maps.get(name));
        const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
        return Object.assign({}, ...shared, given) as Record<string, string>;
      });
      assertSameMedia(service!, studio!);
    }
  });

  test('the commands of an operator have the secrets of all parts, and are applied by no overlay', async () => {
    const secretsOf = (objects: KubernetesObject[]) =>
      podsOf(objects).flatMap(({ spec }) =>
        spec.template.spec.volumes.flatMap(({ secret }) => secret?.items.map((item) => item.path) ?? []),
      );
    const ofParts = new Set(secretsOf(await readObjects('base')));
    ofParts.delete('metrics-token');
    assert.deepEqual(new Set(secretsOf(await readObjects(operator))), ofParts);
    for (const folder of ['base', ...overlays.map((name) => `overlays/${name}`)])
      assert.ok((await readKustomization(folder)).resources.every((name) => !name.includes(operator)));
  });

  test('every container runs as any user, with a root that nobody writes to', async () => {
    for (const { spec } of podsOf([...(await readObjects('base')), ...(await readObjects(operator))])) {
      const { securityContext, containers, volumes } = spec.template.spec;
      assert.equal(securityContext.runAsNonRoot, true);
      for (const container of containers) {
        assert.equal(container.securityContext.readOnlyRootFilesystem, true);
        assert.deepEqual(container.securityContext.capabilities.drop, ['ALL']);
        const mounted = container.volumeMounts.map(({ name }) => name);
        assert.deepEqual(mounted.toSorted(), volumes.map(({ name }) => name).sort());
      }
    }
  });

  test('services, budgets and autoscalers find their pods, and overlays what they change', async () => {
    const base = await readObjects('base');
    const pods = podsOf(base);
    const names = pods.map(({ metadata }) => metadata.name);
    for (const { kind, spec } of base.filter((object) =>
      /^(?:Service|PodDisruptionBudget)$/.test(object.kind),
    )) {
      const wanted = Object.entries(spec.selector.matchLabels ?? spec.selector);
      const pod = pods.find(({ spec: { template } }) =>
        wanted.every(([name, value]) => template.metadata.labels[name] === value),
      );
      const ports =
        pod?.spec.template.spec.containers.flatMap((container) => container.ports ?? []) ?? assert.fail(kind);
      for (const { targetPort } of kind === 'Service' ? spec.ports : [])
        assert.ok(ports.some(({ name }) => name === targetPort));
    }
    for (const overlay of overlays) {
      const { images, replicas = [] } = await readKustomization(`overlays/${overlay}`);
      for (const { spec } of pods)
        for (const { image } of spec.template.spec.containers)
          assert.ok(images.some(({ name }) => name === image));
      for (const { name } of replicas) assert.ok(names.includes(name), name);
    }
  });

  test('the autoscaler goes by a metric that prometheus-adapter makes of one of ours', async () => {
    const [autoscaler] = await readObjects('overlays/scaled');
    assert.ok(
      podsOf(await readObjects('base')).some(
        ({ metadata }) => metadata.name === autoscaler?.spec.scaleTargetRef.name,
      ),
    );
    const [adapter] = await readDocuments<{
      rules: { external: { seriesQuery: string; name: { as: string }; metricsQuery: string }[] };
    }>('overlays/scaled', notApplied);
    const rule = adapter?.rules.external[0] ?? assert.fail();
    assert.equal(autoscaler?.spec.metrics[0]?.external.metric.name, rule.name.as);
    const [, metric = '?', label] = /^(\w+)\{(\w+)="queued"\}$/.exec(rule.seriesQuery) ?? [];
    assert.ok(rule.metricsQuery.includes(rule.seriesQuery));
    const source = await readFile(path.join(root, '../../studio/src/health/studio-metrics.ts'), 'utf8');
    assert.match(source, new RegExp(`name: '${metric}',.* label: '${label}'`));
  });

  const kustomize = findProgram('kustomize');
  const kubectl = findProgram('kubectl');
  const [builder, build] = kustomize === undefined ? [kubectl, 'kustomize'] : [kustomize, 'build'];
  const skip = builder === undefined && 'there is neither kustomize nor kubectl';
  for (const overlay of overlays)
    test(`kustomize builds ${overlay}`, { skip }, async () => {
      const { stdout } = await run(builder ?? '', [build, path.join(root, 'overlays', overlay)]);
      assert.match(stdout, /image: registry\.example\.org\/renderkit:/);
    });

  test(
    "the operator's commands run in the image and with the addresses of the overlay",
    { skip },
    async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-kustomize-'));
      try {
        await cp(root, folder, { recursive: true });
        await cp(path.join(root, 'overlays/single'), path.join(folder, 'overlays/mine'), { recursive: true });
        const { stdout } = await run(builder ?? '', [build, path.join(folder, operator)]);
        const objects = stdout.split(/^---$/m).map((document) => parseYaml(document) as KubernetesObject);
        const job = objects.find(({ metadata }) => metadata.name === 'renderkit-operator') ?? assert.fail();
        const [container = assert.fail()] = job.spec.template.spec.containers;
        assert.match(container.image, /^registry\.example\.org\/renderkit:/);
        const made = new Set(
          objects.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name),
        );
        const named = container.envFrom?.map(({ configMapRef: { name } }) => name) ?? [];
        assert.equal(named.length, 3);
        for (const name of named) assert.ok(made.has(name), name);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );
});
