import type { OperationId } from './operations.ts';

/**
 * The shell samples that the reference shows for each operation. The first sample sets `$URL` and `$KEY`; the second
 * sets `$GENERATION`, `$ASSET` and `$PROJECT`. A sample creates anything else that it needs. A test runs all samples in
 * this order. They contain no comments, because not every shell accepts a pasted comment.
 */
export type Samples = { shell: string; node?: string; python?: string };

const key = '-H "Authorization: Bearer $KEY"';
const json = '-H "Content-Type: application/json"';
/** Returns a command that prints the first id with this prefix in its input. */
const idOf = (prefix: string) => `grep -o '${prefix}_[0-9a-z]*' | head -n 1`;
const get = (path: string) => `curl -sS "$URL${path}" ${key}`;
const send = (path: string, body: string, method = 'POST') =>
  `curl -sS ${method === 'POST' ? '' : `-X ${method} `}"$URL${path}" ${key} ${json} \\\n  -d '${body}'`;
const without = (method: 'POST' | 'DELETE', path: string) => `curl -sS -X ${method} "$URL${path}" ${key}`;
/** Returns a line that stores the id from the answer to a create in a variable. */
const named = (variable: string, create: string) => `${variable}=$(${create} | ${idOf('gen')})`;
const waited = (variable: string) => get(`/v1/generations/$${variable}?wait=60`);
/** Builds a command whose body contains shell variables: JSON in double quotes. */
const sendWith = (path: string, body: string, method = 'POST') =>
  send(path, body, method).replace(/-d '(.*)'$/s, (_, text: string) => `-d "${text.replaceAll('"', '\\"')}"`);

/** The variables of all samples: the address of the service, and the key that the first start printed. */
export const firstSample = `export URL=http://127.0.0.1:8787
export KEY=rk_live_...`;

/** Makes a picture and stores the ids that the samples use. */
export const secondSample = `${named('GENERATION', send('/v1/images/generations', '{"prompt": "a calm lake at dawn"}'))}
ANSWER=$(${waited('GENERATION')})
ASSET=$(echo "$ANSWER" | ${idOf('ast')})
PROJECT=$(echo "$ANSWER" | ${idOf('prj')})
echo "$ANSWER"`;

const aPicture = `curl -sS -o picture.png "$(${get('/v1/assets/images/$ASSET')} |
  grep -o '"url":"[^"]*"' | cut -d '"' -f 4)"`;

export const samples: Record<OperationId, Samples> = {
  getAccount: { shell: get('/v1/account') },
  getBalance: { shell: get('/v1/account/balance') },
  getLimits: { shell: get('/v1/account/limits') },
  getStorage: { shell: get('/v1/account/storage') },
  getKey: { shell: get('/v1/key') },
  listModels: { shell: get('/v1/models?suite=image') },
  getModel: { shell: get('/v1/models/atelier-1') },
  listStyles: { shell: get('/v1/styles') },
  listSuggestions: { shell: get('/v1/suggestions?suite=image') },
  listProjects: { shell: get('/v1/projects?limit=5') },
  createProject: { shell: send('/v1/projects', '{"title": "Autumn posters"}') },
  getProject: { shell: get('/v1/projects/$PROJECT') },
  updateProject: { shell: send('/v1/projects/$PROJECT', '{"title": "Lakes"}', 'PATCH') },
  deleteProject: {
    shell: `OLD=$(${without('POST', '/v1/projects')} | ${idOf('prj')})
${without('DELETE', '/v1/projects/$OLD')}`,
  },
  listAssets: { shell: get('/v1/assets?type=image&limit=5') },
  getImageAsset: { shell: get('/v1/assets/images/$ASSET') },
  updateAsset: { shell: send('/v1/assets/image/$ASSET', '{"favorite": true}', 'PATCH') },
  deleteAsset: {
    shell: `${named('SPARE', send('/v1/images/generations', '{"prompt": "a sketch", "model": "sketch-1"}'))}
OUTPUT=$(${waited('SPARE')} | ${idOf('ast')})
${without('DELETE', '/v1/assets/image/$OUTPUT')}`,
  },
  createUpload: {
    shell: `${aPicture}
curl -sS "$URL/v1/uploads" ${key} -F "file=@picture.png"`,
  },
  getUpload: {
    shell: `${aPicture}
UPLOAD=$(curl -sS "$URL/v1/uploads" ${key} -F "file=@picture.png" | ${idOf('upl')})
${get('/v1/uploads/$UPLOAD')}`,
  },
  deleteUpload: {
    shell: `${aPicture}
UPLOAD=$(curl -sS "$URL/v1/uploads" ${key} -F "file=@picture.png" | ${idOf('upl')})
${without('DELETE', '/v1/uploads/$UPLOAD')}`,
  },
  createImageGeneration: {
    shell: `curl -sS "$URL/v1/images/generations" ${key} ${json} \\
  -H "Idempotency-Key: $(date +%s)-$$" \\
  -d '{"prompt": "a lighthouse above a calm sea at dusk", "aspect_ratio": "1:1"}'`,
    node: `import { env } from 'node:process';

const { URL: url, KEY: key } = env;
const headers = { Authorization: \`Bearer \${key}\`, 'Content-Type': 'application/json' };

const created = await fetch(\`\${url}/v1/images/generations\`, {
  method: 'POST',
  headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() },
  body: JSON.stringify({ prompt: 'a lighthouse above a calm sea at dusk' }),
});
let generation = await created.json();
if (!created.ok) throw new Error(generation.detail);

// Each answer is held back until the generation has finished, for 60 seconds at most.
while (generation.status === 'queued' || generation.status === 'running') {
  const answer = await fetch(\`\${url}/v1/generations/\${generation.id}?wait=60\`, { headers });
  generation = await answer.json();
  if (!answer.ok) throw new Error(generation.detail);
}
console.log(generation.status, generation.outputs[0]?.url ?? generation.error);`,
    python: `import json, os, urllib.request, uuid

url, key = os.environ["URL"], os.environ["KEY"]


def call(path, body=None, **headers):
    request = urllib.request.Request(
        url + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


generation = call(
    "/v1/images/generations",
    {"prompt": "a lighthouse above a calm sea at dusk"},
    **{"Idempotency-Key": str(uuid.uuid4())},
)
# Each answer is held back until the generation has finished, for 60 seconds at most.
while generation["status"] in ("queued", "running"):
    generation = call(f"/v1/generations/{generation['id']}?wait=60")
print(generation["status"], [output["url"] for output in generation["outputs"]] or generation["error"])`,
  },
  createImageEdit: {
    shell: sendWith(
      '/v1/images/edits',
      '{"image": "$ASSET", "prompt": "the same lake in winter", "strength": 0.6}',
    ),
  },
  createVideoGeneration: {
    shell: `${named('FILM', send('/v1/videos/generations', '{"prompt": "clouds drift over mountains", "duration": 3}'))}
${waited('FILM')}`,
  },
  extendVideo: {
    shell: `VIDEO=$(${get('/v1/assets?type=video&limit=1')} | ${idOf('ast')})
${sendWith('/v1/videos/extend', '{"video_id": "$VIDEO", "prompt": "the sun sets", "resolution": "480p"}')}`,
  },
  createFrame: {
    shell: `VIDEO=$(${get('/v1/assets?type=video&limit=1')} | ${idOf('ast')})
${send('/v1/videos/$VIDEO/frames', '{"time": "last"}')}`,
  },
  estimate: {
    shell: send('/v1/estimate', '{"kind": "image", "prompt": "a lighthouse above a calm sea at dusk"}'),
  },
  getGeneration: { shell: waited('GENERATION') },
  getGenerationRequest: { shell: get('/v1/generations/$GENERATION/request') },
  watchGeneration: { shell: get('/v1/generations/$GENERATION/events').replace('-sS', '-sSN') },
  getProgress: { shell: get('/v1/generations/$GENERATION/progress') },
  getPreview: {
    // The loop polls more often than `curl --retry` can, because a fast machine renders the film in a second.
    shell: `${named('MOVING', send('/v1/videos/generations', '{"prompt": "clouds drift over mountains", "duration": 8}'))}
for look in $(seq 100); do ${get('/v1/generations/$MOVING/previews/0').replace('-sS', '-sf -o preview.jpg')} && break; sleep 0.1; done`,
  },
  listGenerations: { shell: get('/v1/generations?status=succeeded&limit=5') },
  stopGeneration: {
    shell: `${named('LONG', send('/v1/images/generations', '{"prompt": "not like this"}'))}
${without('POST', '/v1/generations/$LONG/stop')}`,
  },
  listEvents: {
    shell: `${get('/v1/events?limit=5')} -H "Accept: application/json"`,
  },
  cancelGeneration: {
    shell: `${named('LATE', send('/v1/images/generations', '{"prompt": "never mind"}'))}
${without('POST', '/v1/generations/$LATE/cancel')}`,
  },
};
