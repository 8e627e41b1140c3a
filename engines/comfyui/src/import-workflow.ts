import { type AuthorMarks, readAppMode, readTitleMarks } from './author-marks.ts';
import { type ConvertedWorkflow, convertWorkflow, type NamedInput, readNotes } from './convert-workflow.ts';
import { fillDefaults } from './fill-defaults.ts';
import { type Graph, type GraphNode, readGraph } from './graph.ts';
import { replaceInputNodes } from './input-nodes.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { ObjectInfo } from './object-info.ts';
import type { WorkflowFile } from './read-workflow-file.ts';
import { packOf, readUiWorkflow, type UiGraph, type UiWorkflow } from './ui-workflow.ts';
import { refuse, type Warning, WorkflowError } from './workflow-error.ts';

/** A workflow that is ready for checks and detection, with all that its author marked and noted. */
export interface ImportedWorkflow {
  readonly graph: Graph;
  readonly marks: AuthorMarks;
  readonly namedInputs: readonly NamedInput[];
  /** Texts of the author's notes. */
  readonly notes: readonly string[];
  readonly models: readonly ModelFile[];
  /** From a class to the pack that has it: `comfyui-videohelpersuite 1.6.1`. */
  readonly packs: ReadonlyMap<string, string>;
  readonly warnings: readonly Warning[];
}

/** A model file that the author names, perhaps with its address. */
export interface ModelFile {
  readonly name: string;
  readonly url: string | undefined;
  readonly sha256: string | undefined;
  readonly folder: string | undefined;
}

/**
 * Combines what a file has. The graph that was run is used if the file has it, else the editor's workflow is converted.
 * Titles, marks and notes always come from the editor's workflow.
 *
 * @throws WorkflowError if the graph cannot be made
 */
export function importWorkflow(file: WorkflowFile, classes: ObjectInfo): ImportedWorkflow {
  const ui = file.workflow && readUiWorkflow(file.workflow);
  const { graph: made, namedInputs, warnings } = takeGraph(file, ui, classes);
  const filled = fillDefaults(made, classes);
  const replaced = replaceInputNodes(filled.graph);
  const appMode = ui === undefined ? undefined : readAppMode(ui, replaced.graph, namedInputs);
  return {
    graph: replaced.graph,
    namedInputs,
    warnings: [...warnings, ...filled.warnings],
    marks: {
      inputs: [...(appMode?.inputs ?? []), ...replaced.marks, ...readTitleMarks(replaced.graph)],
      outputs: appMode?.outputs ?? [],
    },
    notes: ui === undefined ? [] : readNotes(ui),
    models: ui === undefined ? [] : readModels(ui),
    packs: ui === undefined ? new Map() : readPacks(ui),
  };
}

function takeGraph(
  { prompt }: WorkflowFile,
  ui: UiWorkflow | undefined,
  classes: ObjectInfo,
): ConvertedWorkflow {
  if (prompt !== undefined) return takePrompt(prompt, ui, classes);
  if (ui === undefined) throw refuse('not_a_workflow', 'The file has neither a graph nor a workflow.');
  return convertWorkflow(ui, classes);
}

function takePrompt(prompt: JsonObject, ui: UiWorkflow | undefined, classes: ObjectInfo): ConvertedWorkflow {
  const { graph, warnings } = readGraph(prompt);
  const titled = Array.from(graph, ([id, node]): [string, GraphNode] => [
    id,
    { ...node, title: node.title ?? ui?.root.nodes.get(id)?.title },
  ]);
  return { graph: new Map(titled), namedInputs: ui === undefined ? [] : namesFrom(ui, classes), warnings };
}

/**
 * Returns names from the workflow. A workflow that cannot be converted gives no names, but the graph of the file is
 * used anyway.
 */
function namesFrom(ui: UiWorkflow, classes: ObjectInfo): readonly NamedInput[] {
  try {
    return convertWorkflow(ui, classes).namedInputs;
  } catch (error) {
    if (error instanceof WorkflowError) return [];
    throw error;
  }
}

function graphsOf(ui: UiWorkflow): UiGraph[] {
  return [ui.root, ...ui.subgraphs.values()];
}

function readModels(ui: UiWorkflow): ModelFile[] {
  const listed = graphsOf(ui).flatMap(({ nodes }) =>
    Array.from(nodes.values()).flatMap(({ properties }): readonly Json[] => {
      const models = properties.get('models');
      return Array.isArray(models) ? (models as readonly Json[]) : [];
    }),
  );
  const files = new Map<string, ModelFile>();
  for (const model of [...listed, ...ui.models]) {
    if (!isObject(model)) continue;
    const text = (key: string): string | undefined => {
      const value = model.get(key);
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    const name = text('name');
    const isSha = text('hash_type')?.toLowerCase() === 'sha256';
    const url = text('url');
    if (name === undefined || files.has(name)) continue;
    files.set(name, {
      name,
      url: url !== undefined && /^https?:\/\//.test(url) ? url : undefined,
      sha256: isSha ? text('hash')?.toLowerCase() : undefined,
      folder: text('directory'),
    });
  }
  return [...files.values()];
}

function readPacks(ui: UiWorkflow): Map<string, string> {
  const packs = new Map<string, string>();
  for (const { nodes } of graphsOf(ui)) {
    for (const node of nodes.values()) {
      const pack = packOf(node);
      if (pack !== undefined) packs.set(node.type, pack);
    }
  }
  return packs;
}
