/** Parallel requests of an account: no more than the studio renders in parallel for it. */
const clientsPerAccount = 4;
const maxClients = 16;

/** Makes pictures and waits for each by long polls, as clients would. @throws if one does not succeed */
export async function finishAll(
  url: string,
  keys: readonly string[],
  { model, total }: { model: string; total: number },
): Promise<void> {
  let begun = 0;
  const work = async (key: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    while (begun < total) {
      begun++;
      const created = await fetch(`${url}/v1/images/generations`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model, prompt: `a boat on a lake, number ${begun}` }),
      });
      if (created.status !== 202) throw new Error(`a create was answered ${created.status}`);
      let generation = (await created.json()) as { id: string; status: string };
      while (generation.status === 'queued' || generation.status === 'running') {
        const answer = await fetch(`${url}/v1/generations/${generation.id}?wait=60`, { headers });
        generation = (await answer.json()) as { id: string; status: string };
      }
      if (generation.status !== 'succeeded')
        throw new Error(`${generation.id} ended as ${generation.status}`);
    }
  };
  const clients = keys
    .slice(0, maxClients)
    .flatMap((key) => Array<string>(keys.length === 1 ? clientsPerAccount : 1).fill(key));
  await Promise.all(clients.map(work));
}
