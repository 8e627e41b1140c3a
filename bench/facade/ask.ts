/** Makes one picture through one of the APIs and reads its bytes. */
export type Way = (client: { url: string; key: string }, prompt: string) => Promise<void>;

/** A model that draws quickly, at the usual size. */
const model = 'sketch-1';

/** Create, long poll and download through `/v1`. */
export const byApi: Way = async ({ url, key }, prompt) => {
  const headers = headersOf(key);
  const created = await fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model, prompt }),
  });
  if (created.status !== 202) throw new Error(`a create was answered ${created.status}`);
  let generation = (await created.json()) as { id: string; status: string; outputs: { url: string }[] };
  while (generation.status === 'queued' || generation.status === 'running')
    generation = (await (
      await fetch(`${url}/v1/generations/${generation.id}?wait=60`, { headers })
    ).json()) as typeof generation;
  const [output] = generation.outputs;
  if (output === undefined) throw new Error(`${generation.id} ended as ${generation.status}`);
  await download(output.url);
};

export const byBase64: Way = async (client, prompt) => {
  const { b64_json: encoded = '' } = await generate(client, { model, prompt });
  if (encoded.length < 1_000) throw new Error('an answer has no picture');
};

export const byLink: Way = async (client, prompt) => {
  const { url = '' } = await generate(client, { model, prompt, response_format: 'url' });
  await download(url);
};

async function generate(
  { url, key }: { url: string; key: string },
  body: object,
): Promise<{ b64_json?: string; url?: string }> {
  const answer = await fetch(`${url}/openai/v1/images/generations`, {
    method: 'POST',
    headers: headersOf(key),
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`a request was answered ${answer.status}`);
  const { data } = (await answer.json()) as { data: { b64_json?: string; url?: string }[] };
  return data[0] ?? {};
}

async function download(url: string): Promise<void> {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`a download was answered ${answer.status}`);
  await answer.arrayBuffer();
}

function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
}
