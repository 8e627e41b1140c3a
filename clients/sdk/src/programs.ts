/** The interfaces of a service that programs use. */
export type Door = 'v1' | 'openai' | 'a1111' | 'mcp';

/** The scopes of a key that programs may need. */
export type ProgramScope = 'read' | 'generate' | 'uploads' | 'projects' | 'library';

/** A text to copy as a whole, and the name of its kind. */
export type Sample = { name: string; text: string };

/** Address of a service and an API key. `baseUrl` may have a path and does not end with a slash. */
export type Place = { baseUrl: string; apiKey: string };

/** A program that people already use, and the settings it needs for this service. */
export type Program = {
  id: string;
  name: string;
  group: 'Code' | 'Chats and workflows' | 'Agents';
  door: Door;
  /** Scopes that the program's key needs. */
  scopes: readonly ProgramScope[];
  /** Where the user enters the settings. */
  where: string;
  /** The settings, under the names that the program uses. */
  settings: (place: Place) => Record<string, string>;
  /** The settings as texts to copy: variables, a form, a file, code. Most users need the first one. */
  samples: (place: Place) => Sample[];
};

/** Scopes of programs that create. `service/src/facades/facade-scope.ts` checks the scope that a route needs. */
const making: readonly ProgramScope[] = ['read', 'generate', 'uploads'];
const everything: readonly ProgramScope[] = ['read', 'generate', 'uploads', 'projects', 'library'];
const prompt = 'a lighthouse above a calm sea';

const lines = (values: Record<string, string>, between: string): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n');

const environment = (values: Record<string, string>): Sample => ({
  name: 'Environment',
  text: lines(values, '='),
});

const form = (values: Record<string, string>): Sample => ({ name: 'Form', text: lines(values, ': ') });

const openaiAddress = ({ baseUrl }: Place): string => `${baseUrl}/openai/v1`;

/** Programs for A1111's web UI put `/sdapi/v1` at the root of the host and ignore any path in the address. */
const originOf = ({ baseUrl }: Place): string => new URL(baseUrl).origin;

/** For most programs the settings are environment variables or one form. */
function withForm(
  program: Omit<Program, 'samples'>,
  kind: (values: Record<string, string>) => Sample,
  more: (place: Place) => Sample[] = () => [],
): Program {
  return { ...program, samples: (place) => [kind(program.settings(place)), ...more(place)] };
}

const ownSettings = ({ baseUrl, apiKey }: Place): Record<string, string> => ({
  RENDERKIT_BASE_URL: baseUrl,
  RENDERKIT_API_KEY: apiKey,
});

const ofCode: readonly Program[] = [
  {
    id: 'curl',
    name: 'curl and any HTTP client',
    group: 'Code',
    door: 'v1',
    scopes: everything,
    where: 'In a shell.',
    settings: ({ baseUrl, apiKey }) => ({ url: `${baseUrl}/v1`, Authorization: `Bearer ${apiKey}` }),
    samples: ({ baseUrl, apiKey }) => [
      {
        name: 'curl',
        text: `curl ${baseUrl}/v1/images/generations \\\n  -H "Authorization: Bearer ${apiKey}" \\\n  -H "Content-Type: application/json" \\\n  -d '{"prompt":"${prompt}"}'`,
      },
    ],
  },
  withForm(
    {
      id: 'sdk',
      name: 'Renderkit for TypeScript',
      group: 'Code',
      door: 'v1',
      scopes: everything,
      where: 'Install the package renderkit, and set these where your program runs.',
      settings: ownSettings,
    },
    environment,
    () => [
      {
        name: 'TypeScript',
        text: `import Renderkit from 'renderkit';\n\nconst rk = new Renderkit();\nconst { outputs } = await rk.images.run({ prompt: '${prompt}' });\nconsole.log(outputs[0].url);`,
      },
    ],
  ),
  {
    id: 'cli',
    name: 'Renderkit in a shell',
    group: 'Code',
    door: 'v1',
    scopes: everything,
    where: 'Install the package @renderkit/cli. The key is kept in a file that you alone can read.',
    settings: ownSettings,
    samples: (place) => [
      {
        name: 'Command',
        text: `npm install -g @renderkit/cli\necho ${place.apiKey} | renderkit login --with-key --base-url ${place.baseUrl}\nrenderkit image "${prompt}" -o lighthouse.png`,
      },
      environment(ownSettings(place)),
    ],
  },
  withForm(
    {
      id: 'openai',
      name: 'OpenAI for Python and JavaScript',
      group: 'Code',
      door: 'openai',
      scopes: making,
      where: 'Set these where your program runs; nothing in it changes.',
      settings: (place) => ({ OPENAI_BASE_URL: openaiAddress(place), OPENAI_API_KEY: place.apiKey }),
    },
    environment,
    (place) => [
      {
        name: 'Python',
        text: `from openai import OpenAI\n\nclient = OpenAI(base_url="${openaiAddress(place)}", api_key="${place.apiKey}")\nimage = client.images.generate(prompt="${prompt}")`,
      },
      {
        name: 'JavaScript',
        text: `import OpenAI from 'openai';\n\nconst openai = new OpenAI({ baseURL: '${openaiAddress(place)}', apiKey: '${place.apiKey}' });\nconst image = await openai.images.generate({ prompt: '${prompt}' });`,
      },
    ],
  ),
  {
    id: 'aisdk',
    name: 'AI SDK',
    group: 'Code',
    door: 'openai',
    scopes: making,
    where: 'With the package @ai-sdk/openai-compatible.',
    settings: (place) => ({ name: 'renderkit', baseURL: openaiAddress(place), apiKey: place.apiKey }),
    samples: (place) => [
      {
        name: 'TypeScript',
        text: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';\nimport { generateImage } from 'ai';\n\nconst renderkit = createOpenAICompatible({\n  name: 'renderkit',\n  baseURL: '${openaiAddress(place)}',\n  apiKey: '${place.apiKey}',\n});\nconst { image } = await generateImage({\n  model: renderkit.imageModel('atelier-1'),\n  prompt: '${prompt}',\n});`,
      },
    ],
  },
];

const ofChats: readonly Program[] = [
  withForm(
    {
      id: 'openwebui',
      name: 'Open WebUI',
      group: 'Chats and workflows',
      door: 'openai',
      scopes: making,
      where: 'In its environment, or under Admin settings, Images.',
      settings: (place) => ({
        ENABLE_IMAGE_GENERATION: 'true',
        IMAGE_GENERATION_ENGINE: 'openai',
        IMAGES_OPENAI_API_BASE_URL: openaiAddress(place),
        IMAGES_OPENAI_API_KEY: place.apiKey,
        ENABLE_IMAGE_EDIT: 'true',
        IMAGE_EDIT_ENGINE: 'openai',
        IMAGES_EDIT_OPENAI_API_BASE_URL: openaiAddress(place),
        IMAGES_EDIT_OPENAI_API_KEY: place.apiKey,
      }),
    },
    environment,
  ),
  withForm(
    {
      id: 'librechat',
      name: 'LibreChat',
      group: 'Chats and workflows',
      door: 'openai',
      scopes: making,
      where: 'In its .env; then choose the tool OpenAI Image Tools for an agent.',
      settings: (place) => ({
        IMAGE_GEN_OAI_BASEURL: openaiAddress(place),
        IMAGE_GEN_OAI_API_KEY: place.apiKey,
      }),
    },
    environment,
  ),
  withForm(
    {
      id: 'sillytavern',
      name: 'SillyTavern',
      group: 'Chats and workflows',
      door: 'a1111',
      scopes: making,
      where:
        'Under Extensions, Image Generation, with these in the form; then press Connect and choose a model.',
      settings: (place) => ({
        Source: 'Stable Diffusion Web UI (AUTOMATIC1111)',
        'SD Web UI URL': originOf(place),
        'Authentication (optional)': `x:${place.apiKey}`,
      }),
    },
    form,
  ),
  withForm(
    {
      id: 'a1111',
      name: "Programs for A1111's web UI",
      group: 'Chats and workflows',
      door: 'a1111',
      scopes: making,
      where:
        'Where the program asks for the address of the web UI. It adds /sdapi/v1 itself; some have one field for address and key.',
      settings: (place) => ({ URL: originOf(place), User: 'x', Password: place.apiKey }),
    },
    form,
    (place) => [{ name: 'One address', text: originOf(place).replace('://', () => `://x:${place.apiKey}@`) }],
  ),
  withForm(
    {
      id: 'n8n',
      name: 'n8n',
      group: 'Chats and workflows',
      door: 'openai',
      scopes: making,
      where: 'In a credential of the kind OpenAI.',
      settings: (place) => ({ 'API Key': place.apiKey, 'Base URL': openaiAddress(place) }),
    },
    (values) => ({ ...form(values), name: 'Credential' }),
  ),
  withForm(
    {
      id: 'litellm',
      name: 'LiteLLM',
      group: 'Chats and workflows',
      door: 'openai',
      scopes: making,
      where: 'In litellm_params of its config, with a model of the list that it finds.',
      settings: (place) => ({
        model: 'openai/atelier-1',
        api_base: openaiAddress(place),
        api_key: place.apiKey,
      }),
    },
    (values) => ({ ...form(values), name: 'Configuration' }),
  ),
  withForm(
    {
      id: 'dify',
      name: 'Dify',
      group: 'Chats and workflows',
      door: 'openai',
      scopes: making,
      where: 'In a model provider of the kind OpenAI.',
      settings: (place) => ({ 'API Base URL': openaiAddress(place), 'API Key': place.apiKey }),
    },
    form,
  ),
];

/**
 * Settings of an MCP server that runs on the user's own machine. It can read the machine's files and reach services
 * that only this machine can reach.
 */
const stdioServer = (place: Place): object => ({
  command: 'npx',
  args: ['-y', '@renderkit/mcp'],
  env: ownSettings(place),
});

const mcpServers = (server: object): string => JSON.stringify({ mcpServers: { renderkit: server } }, null, 2);

const mcpSettings = ({ baseUrl, apiKey }: Place): Record<string, string> => ({
  url: `${baseUrl}/mcp`,
  Authorization: `Bearer ${apiKey}`,
});

/** Settings to copy. `clients/cli/src/mcp-clients.ts` writes the settings files of agents. */
const ofAgents: readonly Program[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    group: 'Agents',
    door: 'mcp',
    scopes: making,
    where: 'In a shell.',
    settings: mcpSettings,
    samples: ({ baseUrl, apiKey }) => [
      {
        name: 'Command',
        text: `claude mcp add --transport http renderkit ${baseUrl}/mcp \\\n  --header "Authorization: Bearer ${apiKey}"`,
      },
    ],
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    group: 'Agents',
    door: 'mcp',
    scopes: making,
    where: 'In claude_desktop_config.json (Settings, Developer, Edit Config). The tools run on your machine.',
    settings: ownSettings,
    samples: (place) => [{ name: 'Configuration', text: mcpServers(stdioServer(place)) }],
  },
  {
    id: 'cursor',
    name: 'Cursor and other MCP clients',
    group: 'Agents',
    door: 'mcp',
    scopes: making,
    where: 'In mcp.json. Over HTTP for a service that the client reaches, else as a program on your machine.',
    settings: mcpSettings,
    samples: (place) => [
      {
        name: 'HTTP',
        text: mcpServers({
          url: `${place.baseUrl}/mcp`,
          headers: { Authorization: `Bearer ${place.apiKey}` },
        }),
      },
      { name: 'Program', text: mcpServers(stdioServer(place)) },
    ],
  },
];

/** All programs that connect with an address and a key, in the order for a list. */
export const programs: readonly Program[] = [...ofCode, ...ofChats, ...ofAgents];
