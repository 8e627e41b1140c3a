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

/** Tools that delete are left out on purpose. */
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

/**
 * Creates a server with the tools and resources of one connection: one server per HTTP request, one per stdio
 * connection.
 */
export function createMcpServer(connection: McpConnection): McpServer {
  const server = new McpServer(
    { name: 'renderkit', title: 'Renderkit', version },
    // The lists do not change while the process runs. With `listChanged: false`, a subscription to changes ends at
    // once. An open subscription would hold a connection past every limit of its key.
    { instructions, capabilities: { tools: { listChanged: false }, resources: { listChanged: false } } },
  );
  for (const tool of tools) tool.register(server, connection);
  registerResources(server, connection);
  return server;
}
