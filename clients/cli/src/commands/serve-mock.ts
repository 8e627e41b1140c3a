import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from 'renderkit/node';
import { type MockRenderkit, mockRenderkit, type NextGeneration, samplePicture } from 'renderkit/testing';
import { command } from '../command.ts';
import { UsageError } from '../cli-error.ts';

const scenarios = {
  slow: { slow: 60_000 },
  fails: { fail: 'render_failed' },
  moderated: { fail: 'moderation_blocked' },
  'full-queue': { refuse: 'queue_full' },
  'no-credits': { refuse: 'insufficient_credits' },
} as const satisfies Record<string, NextGeneration>;

const scenarioNames = Object.keys(scenarios) as (keyof typeof scenarios)[];
const defaultPort = 8790;
const picturePath = '/mock/output.png';

export const serveMock = command({
  usage: '',
  about:
    'Serves the mock of renderkit/testing: a Renderkit in memory whose pictures are one pixel, for programs in any language. It takes any key, draws nothing and ends with Ctrl-C.',
  options: {
    port: { form: 'N', about: `where it listens, 0 for any free one; ${defaultPort} when left out` },
    scenario: { form: 'NAME', about: 'what becomes of creates', choices: scenarioNames },
  },
  run: async ({ output }, _words, values) => {
    const plan = values.scenario === undefined ? {} : scenarios[values.scenario as keyof typeof scenarios];
    const mock = mockRenderkit({ clock: 'real' });
    const server = createServer((request, response) => {
      void toNodeHandler((given) => answer(mock, plan, given))(request, response);
    });
    server.listen(portOf(values.port), '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = { RENDERKIT_BASE_URL: baseUrl, RENDERKIT_API_KEY: 'rk_live_mock' };
    output.result(settings, [baseUrl], () =>
      Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    );
    await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
    server.close();
    server.closeAllConnections();
  },
});

function portOf(text: string | undefined): number {
  if (text === undefined) return defaultPort;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port is a number to 65535, not ${JSON.stringify(text)}.`);
  return Number(text);
}

/** Returns the mock's response, with `data:` links replaced by links that any program can fetch. */
async function answer(mock: MockRenderkit, plan: NextGeneration, request: Request): Promise<Response> {
  const { pathname, search, origin } = new URL(request.url);
  if (pathname === picturePath)
    return new Response(Buffer.from(samplePicture.split(',')[1] ?? '', 'base64'), {
      headers: { 'content-type': 'image/png' },
    });
  const isCreate =
    request.method === 'POST' && /^\/v1\/(images|videos)\/(generations|edits|extend)$/.test(pathname);
  if (isCreate) mock.next(plan);
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${mock.options.apiKey}`);
  const given = await mock.options.fetch(`${mock.options.baseUrl}${pathname}${search}`, {
    method: request.method,
    headers,
    signal: request.signal,
    ...(request.method !== 'GET' && { body: await bodyOf(request) }),
  });
  if (given.body === null) return given;
  // Each event of a stream arrives as one chunk, and so does a whole response.
  const links = new TransformStream<string, string>({
    transform: (text, out) => out.enqueue(text.replaceAll(samplePicture, `${origin}${picturePath}`)),
  });
  const body = given.body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(links)
    .pipeThrough(new TextEncoderStream());
  return new Response(body, { status: given.status, headers: given.headers });
}

async function bodyOf(request: Request): Promise<FormData | string> {
  const isForm = request.headers.get('content-type')?.startsWith('multipart/form-data') === true;
  return isForm ? request.formData() : request.text();
}
