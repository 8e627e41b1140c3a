// Sends the requests of existing programs and checks what these programs read from the answers.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import type { Platform } from '@renderkit/stack/testing/platform.ts';
import { sharedPlatform } from '@renderkit/stack/testing/shared-platform.ts';
import {
  a1111Requests,
  chatRequests,
  openAiRequests,
  picture,
  type ProgramRequest,
} from './program-requests.ts';

type Drawn = { images: string[]; info: string; parameters: { width: number } };

describe('programs that people use already', () => {
  let platform: Platform;
  before(async () => {
    platform = await sharedPlatform();
  });

  /** Opens a new key for each test, because the chosen model and running requests belong to a key. */
  async function open() {
    const key = await platform.createKey(await platform.createAccount({ tier: 'pro', credits: 100 }));
    const ask = (path: string, body?: object, more: { authorization?: string; signal?: AbortSignal } = {}) =>
      fetch(`${platform.serviceUrls[0]}/sdapi/v1/${path}`, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        ...(more.signal === undefined ? {} : { signal: more.signal }),
        headers: {
          authorization: more.authorization ?? `Basic ${btoa(`x:${key}`)}`,
          'content-type': 'application/json',
        },
      });
    const read = async <T>(path: string) => (await (await ask(path)).json()) as T;
    const awaited = async () => (await read<{ state: { job_count: number } }>('progress')).state.job_count;
    return { key, ask, read, awaited };
  }
  const sizeOf = async (encoded: string) => {
    const { width, height } = await sharp(Buffer.from(encoded, 'base64')).metadata();
    return { width, height };
  };
  const blank = async (background: string) =>
    (
      await sharp({ create: { width: 256, height: 256, channels: 3, background } })
        .png()
        .toBuffer()
    ).toString('base64');

  test('SillyTavern: looks around and chooses a model', async () => {
    const { ask, read } = await open();
    const titles = (await read<{ title: string }[]>('sd-models')).map(({ title }) => title);
    assert.ok(titles.includes('atelier-1') && titles.includes('sandbox-slow'));
    for (const list of ['samplers', 'schedulers', 'upscalers', 'latent-upscale-modes', 'sd-vae'])
      assert.ok(Array.isArray(await read(list)), list);
    const chosen = await ask('options', { sd_model_checkpoint: 'sandbox-slow' });
    assert.deepEqual([chosen.status, await chosen.text()], [200, 'null']);
    const options = await read<Record<string, unknown>>('options');
    assert.equal(options['sd_model_checkpoint'], 'sandbox-slow');
    assert.equal('forge_preset' in options, false);
    const idle = await read<{ progress: number; state: { job_count: number } }>('progress');
    assert.deepEqual([idle.progress, idle.state.job_count], [0, 0]);
  });

  /** Sends a program's request, with the key in the way of that program. */
  const send = async (
    { method, path, json, form, headers }: ProgramRequest,
    { base, authorization }: { base: string; authorization: string },
  ) => {
    let body: FormData | string | undefined = json === undefined ? undefined : JSON.stringify(json);
    if (form !== undefined) {
      body = new FormData();
      const file = new Blob([Buffer.from(await blank('#3060a0'), 'base64')], { type: 'image/png' });
      for (const [name, value] of form)
        if (value === picture) body.append(name, file, 'image.png');
        else body.append(name, value);
    }
    return fetch(base + path, {
      method,
      headers: {
        authorization,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  };

  for (const request of openAiRequests)
    test(`${request.program}: ${request.what}`, async () => {
      const { key } = await open();
      const base = `${platform.serviceUrls[0]}/openai/v1`;
      const answer = await send(request, { base, authorization: `Bearer ${key}` });
      const { data } = (await answer.json()) as { data: { url?: string; b64_json?: string }[] };
      assert.equal(answer.status, 200);
      assert.equal(data.length, 1);
      const [{ url, b64_json: encoded = '' } = {}] = data;
      if (request.json?.['response_format'] === 'url')
        assert.match((await fetch(url ?? '')).headers.get('content-type') ?? '', /^image\//);
      // Open WebUI uses an address if there is one, although it did not ask for one.
      else assert.deepEqual([url, (await sizeOf(encoded)).width > 0], [undefined, true]);
    });

  for (const request of chatRequests)
    test(`${request.program}: ${request.what}, by a chat`, async () => {
      const { key } = await open();
      const base = `${platform.serviceUrls[0]}/openai/v1`;
      const answer = await send(request, { base, authorization: `Bearer ${key}` });
      const { choices } = (await answer.json()) as {
        choices: { message: { images: { image_url: { url: string } }[] } }[];
      };
      const [, encoded = ''] =
        /^data:image\/\w+;base64,(.*)$/.exec(choices[0]?.message.images[0]?.image_url.url ?? '') ?? [];
      const { width, height } = await sizeOf(encoded);
      const isWide = request.json?.['image_config'] !== undefined;
      assert.deepEqual([width > height, width > 0], [isWide, true]);
    });

  for (const request of a1111Requests)
    test(`${request.program}: ${request.what}, through A1111's API`, async () => {
      const { key } = await open();
      const base = platform.serviceUrls[0] ?? '';
      const answer = await send(request, { base, authorization: `Basic ${btoa(`x:${key}`)}` });
      const { images, info } = (await answer.json()) as Drawn;
      const { width, height } = await sizeOf(images[0] ?? '');
      const { width: wanted, height: by } = request.json as { width: number; height: number };
      assert.equal(Math.sign(width - height), Math.sign(wanted - by), 'it has the shape that was asked for');
      const { infotexts } = JSON.parse(info) as { infotexts: string[] };
      assert.match(infotexts[0]?.split('\n').pop() ?? '', /^Steps: \d+, .*Model: /);
    });

  test('n8n: several at once, also with their sizes as text', async () => {
    const { ask } = await open();
    const answer = await ask('txt2img', {
      prompt: 'a lighthouse',
      batch_size: 2,
      width: '512',
      height: '512',
    });
    const { images } = (await answer.json()) as Drawn;
    assert.equal(images.length, 2);
    assert.notEqual(images[0], images[1]);
  });

  test('several at once of one seed are several, where a model makes two at a time too', async () => {
    const { ask } = await open();
    const answer = await ask('txt2img', {
      prompt: 'a lighthouse',
      seed: 7,
      batch_size: 2,
      n_iter: 2,
      override_settings: { sd_model_checkpoint: 'linework-1' },
    });
    const { images } = (await answer.json()) as Drawn;
    assert.equal(new Set(images).size, 4);
  });

  test('an answer tells the seeds that were drawn, and what counted', async () => {
    const { ask } = await open();
    type Info = { seed: number; steps: number; all_seeds: number[]; infotexts: string[] };
    const draw = async (fields: object) => {
      const { images, info } = (await (
        await ask('txt2img', { prompt: 'a lighthouse', steps: 20, ...fields })
      ).json()) as Drawn;
      return { images, info: JSON.parse(info) as Info };
    };
    const { images, info } = await draw({ seed: -1, batch_size: 2 });
    assert.equal(new Set(info.all_seeds).size, 2);
    assert.ok(info.all_seeds.every((seed) => seed >= 0));
    assert.deepEqual([info.seed, info.steps], [info.all_seeds[0], 0], 'the model has no steps');
    for (const [place, seed] of info.all_seeds.entries()) {
      assert.match(info.infotexts[place] ?? '', new RegExp(`Seed: ${seed},`));
      assert.deepEqual((await draw({ seed })).images, [images[place]]);
    }
    assert.equal((await draw({ seed: 99_999_999_999 })).info.seed, 4_294_967_295);
  });

  test('a picture is changed where its mask is white', async () => {
    const { ask } = await open();
    const [image, mask] = [await blank('#3060a0'), await blank('#000000')];
    const answer = await ask('img2img', {
      init_images: [`data:image/png;base64,${image}`],
      mask,
      prompt: 'a red boat',
      denoising_strength: 0.75,
      mask_blur: 0,
      inpainting_mask_invert: 0,
    });
    assert.equal(answer.status, 200);
    const { images } = (await answer.json()) as Drawn;
    const { channels } = await sharp(Buffer.from(images[0] ?? '', 'base64'))
      .removeAlpha()
      .stats();
    assert.deepEqual(
      channels.map(({ mean }) => Math.round(mean)),
      [0x30, 0x60, 0xa0],
      'a black mask changes nothing',
    );
    const inverted = await ask('img2img', {
      init_images: [image],
      mask,
      prompt: 'x',
      inpainting_mask_invert: 1,
    });
    assert.equal(inverted.status, 422);
    assert.equal((await ask('img2img', { init_images: [], prompt: 'x' })).status, 422);
  });

  test('failures have their status and a sentence', async () => {
    const { ask } = await open();
    const of = async (answer: Response) => {
      const { detail } = (await answer.json()) as { detail: string };
      return [answer.status, typeof detail] as const;
    };
    const model = (name: string) => ({ prompt: 'x', override_settings: { sd_model_checkpoint: name } });
    assert.deepEqual(await of(await ask('txt2img', model('sandbox-fail'))), [500, 'string']);
    assert.deepEqual(await of(await ask('txt2img', model('no-such-model'))), [404, 'string']);
    assert.deepEqual(await of(await ask('txt2img', { prompt: 'x', batch_size: 99 })), [422, 'string']);
    assert.deepEqual(await of(await ask('interrogate', {})), [404, 'string']);
    const stranger = await ask('txt2img', { prompt: 'x' }, { authorization: 'Basic eDp5' });
    assert.deepEqual(await of(stranger), [401, 'string']);
    assert.match(stranger.headers.get('www-authenticate') ?? '', /^Basic /);
  });

  test('a request whose answer was lost finds its picture', async () => {
    const { ask, awaited } = await open();
    const body = {
      prompt: 'a lost lighthouse',
      override_settings: { sd_model_checkpoint: 'sandbox-slow' },
      options: { seconds: 3 },
    };
    const gone = new AbortController();
    const lost = ask('txt2img', { ...body, auth: 'x:one' }, { signal: gone.signal }).catch(() => undefined);
    while ((await awaited()) === 0) await sleep(20);
    gone.abort();
    await lost;
    // Until the service has noticed the disconnect, an equal request counts as a different one.
    while ((await awaited()) > 0) await sleep(20);
    const again = await ask('txt2img', { ...body, auth: 'x:another' });
    assert.equal(again.headers.get('x-renderkit-adopted'), 'true');
    assert.equal(((await again.json()) as Drawn).images.length, 1);
  });
});
