import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Asset, type Renderkit, RenderkitError } from 'renderkit';
import { modelSchema } from 'renderkit/model-schema';
import type { McpConnection } from './connection.ts';
import { readSmallImage } from './small-image.ts';
import { refusalOf } from './tool.ts';

/** The longest side of a thumbnail, in pixels. */
const maxSide = 384;
/** How many videos, newest first, are searched for a thumbnail. The API cannot return a single video. */
const videosLookedAt = 100;

/**
 * Registers the resources that a person's program can add to a conversation by address: outputs as thumbnails, models
 * with the values they accept. Reading a resource charges and changes nothing.
 */
export function registerResources(server: McpServer, { client, signal }: McpConnection): void {
  const reading = async <Result>(uri: URL, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw protocolError(uri, error);
    }
  };
  server.registerResource(
    'output',
    new ResourceTemplate('renderkit://outputs/{id}', { list: undefined }),
    {
      title: 'Thumbnail of an output',
      description: 'A small JPEG of a picture, or of a video’s beginning, by the id of the output.',
      mimeType: 'image/jpeg',
    },
    (uri, variables, context) =>
      reading(uri, async () => {
        const bytes = await readThumbnail(client, idOf(variables), signalOf(context, signal));
        if (bytes === undefined) throw new ResourceNotFoundError(uri.href);
        const blob = Buffer.from(bytes).toString('base64');
        return { contents: [{ uri: uri.href, mimeType: 'image/jpeg', blob }] };
      }),
  );
  server.registerResource(
    'model',
    new ResourceTemplate('renderkit://models/{id}', { list: undefined }),
    {
      title: 'A model',
      description: 'What a model makes and takes, the latter as a JSON Schema.',
      mimeType: 'application/json',
    },
    (uri, variables) =>
      reading(uri, async () => {
        const model = await client.models.retrieve(idOf(variables));
        const { id, name, description, suites, default_for: defaultFor, batch_size: outputs } = model;
        const schema = modelSchema(model);
        const shown = {
          id,
          name,
          description,
          suites,
          default_for: defaultFor,
          outputs,
          input_schema: schema,
        };
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(shown) }] };
      }),
  );
}

/**
 * Decodes the id from an address. The id of a model may contain slashes, which are escaped.
 *
 * @throws URIError when the address is not encoded correctly
 */
function idOf({ id = '' }: Record<string, string | string[]>): string {
  return decodeURIComponent(String(id));
}

function signalOf({ mcpReq }: ServerContext, ofConnection: AbortSignal | undefined): AbortSignal {
  return AbortSignal.any([mcpReq.signal, ...(ofConnection === undefined ? [] : [ofConnection])]);
}

async function readThumbnail(
  client: Renderkit,
  id: string,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const { thumb_url: thumbnail, url } = (await assetOf(client, id)) ?? {};
  const link = thumbnail ?? url;
  return link == null ? undefined : readSmallImage(client, link, { maxSide, signal });
}

async function assetOf(client: Renderkit, id: string): Promise<Asset | undefined> {
  try {
    return await client.assets.retrieveImage(id);
  } catch (error) {
    if (!RenderkitError.is(error) || error.code !== 'not_found') throw error;
    const videos = await client.assets.list({ type: 'video', limit: videosLookedAt });
    return videos.data.find((video) => video.id === id);
  }
}

/** Converts an error to the protocol. A missing resource gets its own error type; other errors include advice. */
function protocolError(uri: URL, error: unknown): Error {
  if (error instanceof ResourceNotFoundError) return error;
  if (error instanceof URIError) return new ResourceNotFoundError(uri.href);
  const { code, message, next } = refusalOf(error);
  if (code === 'not_found') return new ResourceNotFoundError(uri.href);
  return new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message} ${next}`);
}
