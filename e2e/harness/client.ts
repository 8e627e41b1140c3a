import { type Fields, checkAnswer, send } from '../spec/caller.ts';

/** One answer of the API. */
export type Answer<Body = Record<string, unknown>> = {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
};

export type Generation = {
  id: string;
  status: string;
  cost: { credits: number };
  outputs: { id: string; url: string; thumb_url: string | null }[];
  error: { code: string; message: string } | null;
  submitted_at: string | null;
};

export type Problem = { code: string; status: number; detail: string; errors?: { field: string }[] };

const answerWithinMs = 70_000;

/** Makes calls with one key to one service process. Every answer must match its OpenAPI document. */
export function createClient(baseUrl: string, key: string) {
  let document: Promise<Fields> | undefined;
  const call = async <Body = Record<string, unknown>>(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer<Body>> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const text = await response.text();
    const { status, headers } = response;
    const body = JSON.parse(text) as Fields;
    document ??= send(baseUrl, 'GET', '/openapi.json').then((reply) => reply.body);
    checkAnswer(await document, method, path, { status, headers: Object.fromEntries(headers), text, body });
    return { status, headers, text, body: body as Body };
  };
  return {
    call,
    /** Creates one small picture. */
    create: (fields: Record<string, unknown> = {}, idempotencyKey?: string) =>
      call<Generation & Problem>('POST', '/v1/images/generations', {
        body: { model: 'sketch-1', prompt: 'a calm lake at dawn', ...fields },
        ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
      }),
    read: (id: string, wait?: number) =>
      call<Generation & Problem>('GET', `/v1/generations/${id}${wait === undefined ? '' : `?wait=${wait}`}`),
    cancel: (id: string) => call<Generation & Problem>('POST', `/v1/generations/${id}/cancel`),
    balance: async () => (await call<{ balance: number }>('GET', '/v1/account/balance')).body.balance,
  };
}

/** Waits until each of these has ended, and returns their final states. */
export async function untilEnded(
  client: ReturnType<typeof createClient>,
  ids: string[],
): Promise<Generation[]> {
  return Promise.all(
    ids.map(async (id) => {
      for (;;) {
        const { body } = await client.read(id, 60);
        if (body.status !== 'queued' && body.status !== 'running') return body;
      }
    }),
  );
}
