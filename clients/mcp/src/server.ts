import { McpServer } from '@modelcontextprotocol/server';
import type { McpConnection } from './connection.ts';
import { registerResources } from './resources.ts';
import type { Tool } from './tool.ts';
import { account } from './tools/account.ts';
import { createImage, createVideo, estimate } from './tools/create.ts';
import { cancelGeneration, getGeneration } from './tools/generation.ts';
import { importMedia, listLibrary, viewOutput } from './tools/library.ts';
import { getModel, listModels } from './tools/models.ts';
import { version } from './version.ts';

/** Deletions are deliberately not among them. */
const tools: readonly Tool[] = [
  listModels,
  getModel,
  estimate,
  createImage,
  createVideo,
  getGeneration,
  viewOutput,
  importMedia,
  listLibrary,
  cancelGeneration,
  account,
];

const instructions =
  'Renderkit makes images and videos and charges credits for them. Estimate before what may be dear, give links to the person, and look at pictures only when you have to assess them. A create answers with a handle: what takes longer than the call goes on by itself.';

/** A server with the tools and resources of one connection. One is made for each request over HTTP and for each connection over stdio. */
export function createMcpServer(connection: McpConnection): McpServer {
  const server = new McpServer(
    { name: 'renderkit', title: 'Renderkit', version },
    // Lists do not change as long as a process lives. Said so, a subscription to changes ends as soon as it is answered: kept open
    // it would hold a connection past every limit of its key.
    { instructions, capabilities: { tools: { listChanged: false }, resources: { listChanged: false } } },
  );
  for (const tool of tools) tool.register(server, connection);
  registerResources(server, connection);
  return server;
}
