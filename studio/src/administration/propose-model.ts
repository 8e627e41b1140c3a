import { checkGraph } from '@renderkit/engine-comfyui/check-graph.ts';
import type { ByteReader } from '@renderkit/engine-comfyui/byte-reader.ts';
import { detectParameters } from '@renderkit/engine-comfyui/detect-parameters.ts';
import type { Finding } from '@renderkit/engine-comfyui/finding.ts';
import { readGraph, writeGraph } from '@renderkit/engine-comfyui/graph.ts';
import { importWorkflow } from '@renderkit/engine-comfyui/import-workflow.ts';
import type { ObjectInfo } from '@renderkit/engine-comfyui/object-info.ts';
import {
  type ManifestProposal,
  type ProposedParameter,
  proposeManifest,
} from '@renderkit/engine-comfyui/propose-manifest.ts';
import { readWorkflowFile, type WorkflowFile } from '@renderkit/engine-comfyui/read-workflow-file.ts';
import { targetSpecs } from '@renderkit/engine-comfyui/target-specs.ts';
import { readUiWorkflow } from '@renderkit/engine-comfyui/ui-workflow.ts';
import { WorkflowError } from '@renderkit/engine-comfyui/workflow-error.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { Document, isCollection, isMap, isScalar, isSeq, type Node, visit } from 'yaml';
import type { ModelFiles } from '../catalog/publish.ts';
import { checkManifest } from '@renderkit/manifests/check-manifest.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import { readManifest } from '@renderkit/manifests/read-manifest.ts';
import { nameOf, type Parameter } from '@renderkit/manifests/parameters.ts';
import { ModelRefused } from './models.ts';

export interface ProposalWish {
  readonly id: string;
  readonly name: string;
  /** Name or label of the backends that are to make it. */
  readonly on: string;
  readonly price: Manifest['price'];
  /**
   * Returns a backend's descriptions of classes of nodes. Implemented by `askClasses` in `ask-classes.ts`, and for a
   * file by `stack/src/operator/model-add.ts`.
   */
  readonly classesOf: (names: ReadonlySet<string>) => Promise<ObjectInfo>;
}

export interface ProposedModel {
  /** Its manifest has guesses as comments. */
  readonly model: ModelFiles;
  /** What must be repaired before it can be offered. */
  readonly problems: readonly Problem[];
  readonly parameters: readonly Parameter[];
  /** The prompt that the workflow was saved with, if it has one. */
  readonly prompt: string | undefined;
  readonly nodes: number;
  /** What an operator should know but need not act on. */
  readonly warnings: readonly string[];
}

/** Classes with which an import may replace others: previews, masks, inputs of other programs. */
const replacements = ['SaveImage', 'LoadImage', 'LoadImageMask'];

/**
 * Makes a manifest from a file that is a ComfyUI workflow, in either format, or that contains one. Checks the graph
 * against the classes of a backend.
 * @throws ModelRefused with all problems of the workflow
 */
export async function proposeModel(reader: ByteReader, wish: ProposalWish): Promise<ProposedModel> {
  try {
    const file = await readWorkflowFile(reader);
    const classes = await wish.classesOf(classNames(file));
    const imported = importWorkflow(file, classes);
    const detection = detectParameters(imported, classes);
    const downloads = new Map(
      imported.models.flatMap(({ name, url }) => (url === undefined ? [] : [[name, url] as const])),
    );
    const checked = checkGraph(detection.graph, classes, {
      backend: wish.on,
      packs: imported.packs,
      downloads,
    });
    if (detection.problems.length > 0) throw new ModelRefused([...detection.problems, ...checked.problems]);
    const workflow = `${wish.id.replaceAll('/', '-')}.workflow.json`;
    const proposal = proposeManifest(detection, classes, {
      id: wish.id,
      name: wish.name,
      on: [wish.on],
      workflow: `./${workflow}`,
      models: imported.models,
    });
    const source = manifestText(proposal, wish.price);
    const files = { [workflow]: writeGraph(detection.graph) };
    const parameters = proposal.parameters.map(parameterOf);
    const read = readManifest(source);
    if (read.manifest === undefined)
      throw new ModelRefused([...checked.problems, ...read.problems], {
        known: { suites: [detection.suite], parameters },
      });
    const wrong = checkManifest(read, {
      files: new Map(Object.entries(files)),
      machine: { backend: wish.on, targetsOf: (route) => targetSpecs(route, detection.graph, classes) },
    });
    const warnings = [...imported.warnings, ...detection.warnings, ...checked.warnings].map(
      ({ message }) => message,
    );
    return {
      model: { manifest: read.manifest, source, files, imported: { parameters, warnings } },
      problems: [...checked.problems, ...wrong],
      parameters,
      prompt: promptOf(detection.findings),
      nodes: detection.graph.size,
      warnings,
    };
  } catch (error) {
    if (error instanceof WorkflowError) throw new ModelRefused(error.problems, { cause: error });
    throw error;
  }
}

function parameterOf({ source, ...found }: ProposedParameter): Parameter {
  return { name: nameOf(source), route: 'own', source, ...found, confirmed: false };
}

function promptOf(findings: readonly Finding[]): string | undefined {
  return findings
    .flatMap(({ role, value }) => (role === 'prompt' && typeof value === 'string' ? [value.trim()] : []))
    .find((text) => text !== '');
}

/** Returns every class that a file names, and those that may replace them. */
function classNames({ prompt, workflow }: WorkflowFile): ReadonlySet<string> {
  const names = new Set(replacements);
  if (prompt !== undefined)
    for (const { classType } of readGraph(prompt).graph.values()) names.add(classType);
  if (workflow !== undefined) {
    const { root, subgraphs } = readUiWorkflow(workflow);
    for (const { nodes } of [root, ...subgraphs.values()])
      for (const { type, properties } of nodes.values()) {
        names.add(type);
        const real = properties.get('Node name for S&R');
        if (typeof real === 'string') names.add(real);
      }
  }
  return names;
}

/** Returns the manifest as YAML for a person to edit: short values on one line, guesses as comments at their places. */
function manifestText({ manifest, guesses }: ManifestProposal, price: Manifest['price']): string {
  const { routes, ...offer } = manifest;
  const document = new Document(
    { ...offer, price, routes },
    { version: '1.2', schema: 'core', aliasDuplicateObjects: false },
  );
  visit(document, {
    Collection: (_key, node) => {
      if (isShort(node)) (node as { flow?: boolean }).flow = true;
    },
  });
  const set = document.getIn(['routes', 0, 'set']);
  const lines = Object.entries(guesses).map(([target, binding]) => {
    const node = new Document({ [target]: binding });
    const value = node.get(target);
    if (isCollection(value)) value.flow = true;
    return ` ${node.toString({ lineWidth: 0 }).trimEnd()}`;
  });
  if (isMap(set) && lines.length > 0) set.comment = [' Guesses:', ...lines].join('\n');
  return document.toString({ lineWidth: 0 });
}

const maxShortValues = 6;

function isShort(node: unknown): boolean {
  if (isMap<Node, Node | null>(node))
    return node.items.length <= maxShortValues && node.items.every(({ value }) => isScalar(value));
  return isSeq(node) && node.items.length <= maxShortValues && node.items.every((item) => isScalar(item));
}
