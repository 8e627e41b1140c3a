import Renderkit from 'renderkit';
import { type Door, type Place, type Program, programs } from 'renderkit/programs';
import { command } from '../command.ts';
import { chooseConnection } from '../config.ts';
import { UsageError } from '../cli-error.ts';
import { table } from '../table.ts';
import type { Session } from '../session.ts';

const names = programs.map(({ id }) => id);

export const connect = command({
  usage: names.join('|'),
  about:
    "Shows the settings by which another program draws here, with your address and key; --test makes that program's first request.",
  options: {
    test: { about: 'ask as the program would' },
    sample: { about: 'what is copied into the program and nothing else: variables, a form, code' },
  },
  run: async (session, [name], values) => {
    const program = programs.find(({ id }) => id === name);
    if (program === undefined) throw new UsageError('Name the program.', `There are ${names.join(', ')}.`);
    const { baseUrl, apiKey } = chooseConnection(session.environment, session.values);
    const place = { baseUrl: baseUrl.replace(/\/+$/, '').replace(/\/v1$/, ''), apiKey };
    if (values.sample === true) {
      const texts = program.samples(place).map(({ text }) => text);
      return session.output.result(texts, texts, () => texts);
    }
    const settings = program.settings(place);
    tellOfPath(session, program, place);
    const found = values.test === true ? await trials[program.door](session, place) : undefined;
    session.output.result(
      found === undefined ? settings : { ...settings, ...found },
      Object.values(settings),
      () => [
        program.where,
        '',
        ...table(Object.entries(settings)),
        ...(found === undefined ? [] : ['', ...Object.entries(found).map(answerLine)]),
      ],
    );
  },
});

function tellOfPath({ output }: Session, { door }: Program, { baseUrl }: Place): void {
  if (door === 'a1111' && new URL(baseUrl).pathname !== '/')
    output.note(
      `These programs ask at the root of the host: its proxy has to lead /sdapi to ${baseUrl}/sdapi.`,
    );
}

const answerLine = ([what, found]: [string, string[]]) =>
  `It answers: ${found.length} ${what}, ${found.slice(0, 3).join(', ')} …`;

/**
 * Sends the first request of a program of each interface, exactly as the program does. Returns the items found, grouped
 * by kind. Charges nothing. The console has its own trials in `console/src/api/try-door.ts`.
 */
const trials: Record<Door, (session: Session, place: Place) => Promise<Record<string, string[]>>> = {
  v1: async ({ client }) => ({ models: (await client.models.list()).data.map(({ id }) => id) }),
  openai: async ({ client }) => {
    const { data } = await client.request<{ data: { id: string }[] }>({
      method: 'GET',
      path: '/openai/v1/models',
    });
    return { models: data.map(({ id }) => id) };
  },
  a1111: async (_session, { baseUrl, apiKey }) => {
    const asked = new Renderkit({
      baseUrl: new URL(baseUrl).origin,
      apiKey: null,
      headers: { Authorization: `Basic ${Buffer.from(`x:${apiKey}`).toString('base64')}` },
    });
    const models = await asked.request<{ model_name: string }[]>({
      method: 'GET',
      path: '/sdapi/v1/sd-models',
    });
    return { models: models.map(({ model_name: name }) => name) };
  },
  mcp: async (_session, { baseUrl, apiKey }) => {
    const asked = new Renderkit({ baseUrl, apiKey, fetch: fetchMessage });
    const { result } = await asked.request<{ result: { tools: { name: string }[] } }>({
      method: 'POST',
      path: '/mcp',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      options: { headers: { Accept: 'application/json, text/event-stream' } },
    });
    return { tools: result.tools.map(({ name }) => name) };
  },
};

/** Fetches a message. When the response is a stream of one event, returns the event's data as the body. */
async function fetchMessage(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return answer;
  const text = await answer.text();
  return new Response(text.slice(text.indexOf('{')), { status: answer.status, headers: answer.headers });
}
