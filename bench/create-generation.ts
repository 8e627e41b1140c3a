/** Makes one generation through the API and returns its id. @throws if the answer is not 202 */
export async function createGeneration(url: string, key: string, prompt: string): Promise<string> {
  const answer = await fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt }),
  });
  const generation = (await answer.json()) as { id?: string };
  if (answer.status !== 202 || generation.id === undefined)
    throw new Error(`a create was answered ${answer.status}: ${JSON.stringify(generation)}`);
  return generation.id;
}

/** Makes `perKey` generations for each key. Eight keys run in parallel. */
export async function createForEach(
  url: string,
  keys: readonly string[],
  perKey: number,
): Promise<{ id: string; key: string }[]> {
  const made: { id: string; key: string }[] = [];
  const queue = [...keys];
  const work = async () => {
    for (let key = queue.pop(); key !== undefined; key = queue.pop())
      for (let n = 0; n < perKey; n++)
        made.push({ id: await createGeneration(url, key, `a lighthouse over a calm sea, ${n}`), key });
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return made;
}
