import { command } from '../command.ts';
import { chooseConnection } from '../config.ts';
import { UsageError } from '../cli-error.ts';
import { table } from '../table.ts';

type Settings = Record<string, string>;

/** What each program calls the address and the key (docs/connect.md). `openai` is the address of that door. */
const programs: Record<string, (door: { base: string; openai: string; key: string }) => Settings> = {
  openai: ({ openai, key }) => ({ OPENAI_BASE_URL: openai, OPENAI_API_KEY: key }),
  aisdk: ({ openai, key }) => ({ name: 'renderkit', baseURL: openai, apiKey: key }),
  openwebui: ({ openai, key }) => ({
    IMAGE_GENERATION_ENGINE: 'openai',
    IMAGES_OPENAI_API_BASE_URL: openai,
    IMAGES_OPENAI_API_KEY: key,
  }),
  librechat: ({ openai, key }) => ({ IMAGE_GEN_OAI_BASEURL: openai, IMAGE_GEN_OAI_API_KEY: key }),
  n8n: ({ openai, key }) => ({ 'Base URL': openai, 'API Key': key }),
  sillytavern: ({ base, key }) => ({
    Source: 'Stable Diffusion Web UI (AUTOMATIC1111)',
    'SD Web UI URL': base,
    'Authentication (optional)': `x:${key}`,
  }),
  a1111: ({ base, key }) => ({ URL: base, User: 'x', Password: key }),
  litellm: ({ openai, key }) => ({ model: 'openai/MODEL', api_base: openai, api_key: key }),
  dify: ({ openai, key }) => ({ 'API Base URL': openai, 'API Key': key }),
  renderkit: ({ base, key }) => ({ RENDERKIT_BASE_URL: base, RENDERKIT_API_KEY: key }),
};

export const connect = command({
  usage: Object.keys(programs).join('|'),
  about:
    "Shows the settings by which another program draws here, with your address and key; --test makes that program's first request.",
  options: { test: { about: 'ask as the program would' } },
  run: async (session, [name], values) => {
    const settingsOf = name !== undefined && Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (name === undefined || settingsOf === undefined)
      throw new UsageError('Name the program.', `There are ${Object.keys(programs).join(', ')}.`);
    const { baseUrl, apiKey } = chooseConnection(session.environment, session.values);
    const base = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
    const settings = settingsOf({ base, openai: `${base}/openai/v1`, key: apiKey });
    const models = values.test === true ? await firstRequest(session.client, name) : undefined;
    session.output.result(
      models === undefined ? settings : { ...settings, models },
      Object.values(settings),
      () => [
        ...table(Object.entries(settings)),
        ...(models === undefined
          ? []
          : [`It answers: ${models.length} models, ${models.slice(0, 3).join(', ')} …`]),
      ],
    );
  },
});

/** What a program asks first, where that is not OpenAI's list of models. */
const ownPaths: Record<string, string> = {
  renderkit: '/v1/models',
  sillytavern: '/sdapi/v1/sd-models',
  a1111: '/sdapi/v1/sd-models',
};

type Models = { data: { id: string }[] } | { model_name: string }[];

/** Names of the models, as the program asks for them. */
async function firstRequest(
  client: { request: <T>(call: { method: 'GET'; path: string }) => PromiseLike<T> },
  program: string,
): Promise<string[]> {
  const path = ownPaths[program] ?? '/openai/v1/models';
  const models = await client.request<Models>({ method: 'GET', path });
  return Array.isArray(models) ? models.map(({ model_name: name }) => name) : models.data.map(({ id }) => id);
}
