import { readFile } from 'node:fs/promises';
import { acceptedScopes, type Operation } from '@renderkit/contract/v1/operation.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';

/** Documents that are served unchanged, for programs to read, by their name below `/docs`. */
const documents = {
  'api.md': 'docs/api.md',
  'connect.md': 'docs/connect.md',
  'sandbox.md': 'docs/sandbox.md',
  'sdk.md': 'clients/sdk/README.md',
  'mcp.md': 'clients/mcp/README.md',
} as const;

const root = new URL('../../../', import.meta.url);
/** The example address in the documents. It may contain a key, for programs that take a key there. */
const exampleAddress = /http:\/\/([^\s/@]+@)?127\.0\.0\.1:8787/g;

export type PlainDocuments = {
  /** The text of `/llms.txt` (llmstxt.org): an index that a model reads first. */
  index: string;
  /** The text of each document by its path. */
  documents: Record<string, string>;
};

/** Reads the documents and puts this service's address into them. `publicUrl` has no trailing slash. */
export async function readPlainDocuments(publicUrl: string): Promise<PlainDocuments> {
  const read = await Promise.all(
    Object.entries(documents).map(async ([name, file]) => {
      const text = await readFile(new URL(file, root), 'utf8');
      return { path: `/docs/${name}`, text: ofThisService(text, file, publicUrl) };
    }),
  );
  return {
    index: indexOf(read, publicUrl),
    documents: Object.fromEntries(read.map(({ path, text }) => [path, text])),
  };
}

/** Replaces a link to a document that is not served with the text of the link. */
function ofThisService(text: string, file: string, publicUrl: string): string {
  const served = new Map(Object.entries(documents).map(([name, path]) => [new URL(path, root).href, name]));
  return text
    .replaceAll(exampleAddress, (_address, user = '') => publicUrl.replace('//', `//${user}`))
    .replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, words: string, target: string) => {
      if (/^https?:|^#/.test(target)) return link;
      const { href, hash } = new URL(target, new URL(file, root));
      const name = served.get(href.slice(0, href.length - hash.length));
      return name === undefined ? words : `[${words}](${publicUrl}/docs/${name}${hash})`;
    });
}

function indexOf(read: { path: string; text: string }[], publicUrl: string): string {
  const links = read.map(({ path, text }) => {
    const title = /^# (.*)$/m.exec(text)?.[1] ?? path;
    return `- [${title}](${publicUrl}${path}): ${openingOf(text)}`;
  });
  const routes = Object.values(operations).map((operation: Operation) => {
    const scopes = acceptedScopes(operation).join(' or ');
    return `- \`${operation.method} ${operation.path}\` (${scopes}): ${operation.summary}`;
  });
  return `# Renderkit

> A media-generation platform: one HTTP API, with keys, budgets, a queue and events, in front of the engines that render images and videos.

The API is at ${publicUrl}/v1. Every request carries a key, \`Authorization: Bearer rk_live_…\`, which a person makes at ${publicUrl}/console/keys.
A create answers 202 with a generation that is queued: give it an Idempotency-Key, and ask for it with \`GET /v1/generations/{id}?wait=60\`.
Agents have tools at ${publicUrl}/mcp (MCP over streamable HTTP, the same key as bearer). Programs for OpenAI's API come in at ${publicUrl}/openai/v1.

## Documents

${links.join('\n')}
- [OpenAPI document](${publicUrl}/openapi.json): every operation, its fields and answers.
- [Errors](${publicUrl}/docs/errors): what each code means, and what to do about it.
- [Webhooks](${publicUrl}/docs/webhooks): how to be told instead of asking.

## Operations, with the scope that a key needs

${routes.join('\n')}
`;
}

/** Returns the document's first paragraph as one line, without links. */
function openingOf(text: string): string {
  const paragraph = text.split(/\n{2,}/).find((part) => !/^(?:#|<!--|```|\|)/.test(part)) ?? '';
  return paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\n', ' ');
}
