import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Sure } from './finding.ts';
import { type GraphNode, linksOf, nameOf } from './graph.ts';
import type { GraphView } from './graph-view.ts';
import { outputNodes, rowOf } from './known-nodes.ts';

export interface FoundOutputs {
  /** Ids of the nodes whose results are delivered. */
  readonly nodes: readonly string[];
  readonly kind: 'image' | 'video';
  readonly sure: Sure;
  readonly reason: string;
}

type Result = FoundOutputs | { readonly problem: Problem };

interface Candidate {
  readonly node: GraphNode;
  readonly kind: 'image' | 'video' | 'audio' | 'preview' | undefined;
  /** Nodes on the longest way to it: of two pictures, the later one is the result. */
  readonly depth: number;
}

/**
 * Which of the nodes that save or show something has the result. `marked` are those that the author named as results.
 */
export function findOutputs(view: GraphView, marked: readonly string[]): Result {
  const depths = new Map<string, number>();
  const candidates = [...view.nodes]
    .filter(
      (node) => rowOf(outputNodes, node.classType) !== undefined || view.classOf(node)?.isOutput === true,
    )
    .map((node): Candidate => ({
      node,
      kind: rowOf(outputNodes, node.classType)?.kind ?? kindByInputs(view, node),
      depth: depthOf(view, node, depths),
    }));
  const named = candidates.filter(
    ({ node }) => marked.includes(node.id) || /^out:\s*result/i.test(node.title ?? ''),
  );
  const chosen = named.length > 0 ? named : candidates;
  const videos = chosen.filter(({ kind }) => kind === 'video');
  const images = chosen.filter(({ kind }) => kind === 'image');
  const previews = chosen.filter(({ kind, node }) => kind === 'preview' && node.inputs.has('images'));
  const results = [videos, images, previews].find((list) => list.length > 0);
  if (results === undefined) return { problem: noResult(candidates) };
  const kind = results === videos ? 'video' : 'image';
  if (named.length > 0)
    return { nodes: results.map(({ node }) => node.id), kind, sure: 'sure', reason: 'marked by the author' };
  const last = results.reduce((one, other) => (other.depth > one.depth ? other : one));
  const known = rowOf(outputNodes, last.node.classType) !== undefined;
  const alone = videos.length + images.length <= 1;
  return {
    nodes: [last.node.id],
    kind,
    sure: !known || (videos.length > 0 && images.length > 0) ? 'guess' : alone ? 'sure' : 'likely',
    reason: alone
      ? 'the only node that saves a result'
      : `the last of ${videos.length + images.length} that save a result`,
  };
}

function noResult(candidates: readonly Candidate[]): Problem {
  const sound = candidates.find(({ kind }) => kind === 'audio');
  if (sound === undefined)
    return { code: 'no_output', message: 'The workflow has no node that saves a picture or a video.' };
  return {
    code: 'no_output',
    message: `${nameOf(sound.node)} saves a sound. Only pictures and videos can be delivered.`,
    node: sound.node.id,
  };
}

/** What an unknown class that saves something is given: a video, pictures, or neither. */
function kindByInputs(view: GraphView, node: GraphNode): Candidate['kind'] {
  const types = linksOf(node).map(({ link }) => view.typeOf(link));
  if (types.includes('VIDEO')) return 'video';
  return types.includes('IMAGE') ? 'image' : undefined;
}

function depthOf(view: GraphView, node: GraphNode, known: Map<string, number>): number {
  const depth = known.get(node.id);
  if (depth !== undefined) return depth;
  // A circle counts once; the check of the graph names it.
  known.set(node.id, 0);
  const below = linksOf(node).flatMap(({ link }) => view.graph.get(link.node) ?? []);
  const found = 1 + Math.max(0, ...below.map((one) => depthOf(view, one, known)));
  known.set(node.id, found);
  return found;
}
