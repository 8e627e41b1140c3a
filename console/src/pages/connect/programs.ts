import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Door } from '../../api/try-door.ts';
import type { CodeSample } from '../../ui/CodeBlock.tsx';

/** A program that people use already, and all that it has to be told. */
export type Program = {
  id: string;
  name: string;
  group: 'Code' | 'Chats and workflows' | 'Agents';
  door: Door;
  /** What a key for it needs. */
  scopes: readonly Scope[];
  /** Where the settings go. */
  where: string;
  settings: (host: string, key: string) => CodeSample[];
};

const making: readonly Scope[] = ['read', 'generate', 'uploads'];
const everything: readonly Scope[] = ['read', 'generate', 'uploads', 'projects', 'library'];

/** Lines of `NAME=value`. */
const environment = (values: Record<string, string>): CodeSample => ({
  name: 'Environment',
  text: Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n'),
});

/** Programs for A1111's web UI put `/sdapi/v1` at the root of a host, whatever path stands in the address. */
const originOf = (host: string): string => new URL(host).origin;

const mcpServers = (server: object): string => JSON.stringify({ mcpServers: { renderkit: server } }, null, 2);

/** Tools on the person's own machine: they reach its files, and services that only it can reach. */
const stdioServer = (host: string, key: string) => ({
  command: 'npx',
  args: ['-y', '@renderkit/mcp'],
  env: { RENDERKIT_BASE_URL: host, RENDERKIT_API_KEY: key },
});

const ofCode: readonly Program[] = [
  {
    id: 'curl',
    name: 'curl and any HTTP client',
    group: 'Code',
    door: 'v1',
    scopes: everything,
    where: 'In a shell.',
    settings: (host, key) => [
      {
        name: 'curl',
        text: `curl ${host}/v1/images/generations \\\n  -H "Authorization: Bearer ${key}" \\\n  -H "Content-Type: application/json" \\\n  -d '{"prompt":"a lighthouse above a calm sea"}'`,
      },
    ],
  },
  {
    id: 'sdk',
    name: 'Renderkit for TypeScript',
    group: 'Code',
    door: 'v1',
    scopes: everything,
    where: 'Install the package renderkit, and set these where your program runs.',
    settings: (host, key) => [
      environment({ RENDERKIT_BASE_URL: host, RENDERKIT_API_KEY: key }),
      {
        name: 'TypeScript',
        text: "import Renderkit from 'renderkit';\n\nconst rk = new Renderkit();\nconst { outputs } = await rk.images.run({ prompt: 'a lighthouse above a calm sea' });\nconsole.log(outputs[0].url);",
      },
    ],
  },
  {
    id: 'cli',
    name: 'Renderkit in a shell',
    group: 'Code',
    door: 'v1',
    scopes: everything,
    where: 'Install the package @renderkit/cli. The key is kept in a file that you alone can read.',
    settings: (host, key) => [
      {
        name: 'Command',
        text: `npm install -g @renderkit/cli\necho ${key} | renderkit login --with-key --base-url ${host}\nrenderkit image "a lighthouse above a calm sea" -o lighthouse.png`,
      },
      environment({ RENDERKIT_BASE_URL: host, RENDERKIT_API_KEY: key }),
    ],
  },
  {
    id: 'openai',
    name: 'OpenAI for Python and JavaScript',
    group: 'Code',
    door: 'openai',
    scopes: making,
    where: 'Set these where your program runs; nothing in it changes.',
    settings: (host, key) => [
      environment({ OPENAI_BASE_URL: `${host}/openai/v1`, OPENAI_API_KEY: key }),
      {
        name: 'Python',
        text: `from openai import OpenAI\n\nclient = OpenAI(base_url="${host}/openai/v1", api_key="${key}")\nimage = client.images.generate(prompt="a lighthouse above a calm sea")`,
      },
      {
        name: 'JavaScript',
        text: `import OpenAI from 'openai';\n\nconst openai = new OpenAI({ baseURL: '${host}/openai/v1', apiKey: '${key}' });\nconst image = await openai.images.generate({ prompt: 'a lighthouse above a calm sea' });`,
      },
    ],
  },
  {
    id: 'ai-sdk',
    name: 'AI SDK',
    group: 'Code',
    door: 'openai',
    scopes: making,
    where: 'With the package @ai-sdk/openai-compatible.',
    settings: (host, key) => [
      {
        name: 'TypeScript',
        text: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';\nimport { generateImage } from 'ai';\n\nconst renderkit = createOpenAICompatible({\n  name: 'renderkit',\n  baseURL: '${host}/openai/v1',\n  apiKey: '${key}',\n});\nconst { image } = await generateImage({\n  model: renderkit.imageModel('atelier-1'),\n  prompt: 'a lighthouse above a calm sea',\n});`,
      },
    ],
  },
];

const ofChats: readonly Program[] = [
  {
    id: 'open-webui',
    name: 'Open WebUI',
    group: 'Chats and workflows',
    door: 'openai',
    scopes: making,
    where: 'In its environment, or under Admin settings, Images.',
    settings: (host, key) => [
      environment({
        ENABLE_IMAGE_GENERATION: 'true',
        IMAGE_GENERATION_ENGINE: 'openai',
        IMAGES_OPENAI_API_BASE_URL: `${host}/openai/v1`,
        IMAGES_OPENAI_API_KEY: key,
      }),
    ],
  },
  {
    id: 'librechat',
    name: 'LibreChat',
    group: 'Chats and workflows',
    door: 'openai',
    scopes: making,
    where: 'In its .env; then choose the tool OpenAI Image Tools for an agent.',
    settings: (host, key) => [
      environment({ IMAGE_GEN_OAI_BASEURL: `${host}/openai/v1`, IMAGE_GEN_OAI_API_KEY: key }),
    ],
  },
  {
    id: 'sillytavern',
    name: 'SillyTavern',
    group: 'Chats and workflows',
    door: 'a1111',
    scopes: making,
    where:
      'Under Extensions, Image Generation, with these in the form; then press Connect and choose a model.',
    settings: (host, key) => [
      {
        name: 'Form',
        text: `Source: Stable Diffusion Web UI (AUTOMATIC1111)\nSD Web UI URL: ${originOf(host)}\nAuthentication (optional): x:${key}`,
      },
    ],
  },
  {
    id: 'a1111',
    name: "Programs for A1111's web UI",
    group: 'Chats and workflows',
    door: 'a1111',
    scopes: making,
    where:
      'Where the program asks for the address of the web UI. It adds /sdapi/v1 itself; some have one field for address and key.',
    settings: (host, key) => [
      { name: 'Form', text: `URL: ${originOf(host)}\nUser: x\nPassword: ${key}` },
      { name: 'One address', text: originOf(host).replace('://', `://x:${key}@`) },
    ],
  },
  {
    id: 'n8n',
    name: 'n8n',
    group: 'Chats and workflows',
    door: 'openai',
    scopes: making,
    where: 'In a credential of the kind OpenAI.',
    settings: (host, key) => [{ name: 'Credential', text: `API Key: ${key}\nBase URL: ${host}/openai/v1` }],
  },
];

const ofAgents: readonly Program[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    group: 'Agents',
    door: 'mcp',
    scopes: making,
    where: 'In a shell.',
    settings: (host, key) => [
      {
        name: 'Command',
        text: `claude mcp add --transport http renderkit ${host}/mcp \\\n  --header "Authorization: Bearer ${key}"`,
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
    settings: (host, key) => [{ name: 'Configuration', text: mcpServers(stdioServer(host, key)) }],
  },
  {
    id: 'cursor',
    name: 'Cursor and other MCP clients',
    group: 'Agents',
    door: 'mcp',
    scopes: making,
    where: 'In mcp.json. Over HTTP for a service that the client reaches, else as a program on your machine.',
    settings: (host, key) => [
      {
        name: 'HTTP',
        text: mcpServers({ url: `${host}/mcp`, headers: { Authorization: `Bearer ${key}` } }),
      },
      { name: 'Program', text: mcpServers(stdioServer(host, key)) },
    ],
  },
];

export const programs: readonly Program[] = [...ofCode, ...ofChats, ...ofAgents];
