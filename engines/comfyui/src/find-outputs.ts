import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Sure } from './roles.ts';
import { type GraphNode, linksOf, nameOf, reachedFrom } from './graph.ts';
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
  /** Number of nodes that it needs: the later of two images needs more. */
  readonly needs: number;
}

/**
 * Finds the node with the result among the nodes that save or show something. `marked` are the nodes that the author
 * named as results.
 */
export function findOutputs(view: GraphView, marked: readonly string[]): Result {
  const candidates = [...view.nodes]
    .filter(
      (node) => rowOf(outputNodes, node.classType) !== undefined || view.classOf(node)?.isOutput === true,
    )
    .map((node): Candidate => ({
      node,
      kind: rowOf(outputNodes, node.classType)?.kind ?? kindByInputs(view, node),
      needs: reachedFrom(view.graph, [node.id]).size,
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
    return {
      nodes: results.map(({ node }) => node.id),
      kind,
      sure: 'sure',
      reason: 'marked by the author',
    };
  const last = results.reduce((one, other) => (other.needs > one.needs ? other : one));
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
  const audio = candidates.find(({ kind }) => kind === 'audio');
  if (audio === undefined)
    return {
      code: 'no_output',
      message: 'The workflow has no node that saves an image or a video.',
    };
  return {
    code: 'no_output',
    message: `${nameOf(audio.node)} saves audio. Only images and videos can be delivered.`,
    node: audio.node.id,
  };
}

/** Returns what an unknown class that saves something receives: a video, images, or neither. */
function kindByInputs(view: GraphView, node: GraphNode): Candidate['kind'] {
  const types = linksOf(node).map(({ link }) => view.typeOf(link));
  if (types.includes('VIDEO')) return 'video';
  return types.includes('IMAGE') ? 'image' : undefined;
}
