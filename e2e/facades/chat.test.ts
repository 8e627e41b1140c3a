// Tests chat completions that answer with pictures, called through OpenAI's package and by hand.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import OpenAI from 'openai';
import sharp from 'sharp';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';

type WithPictures = { content: string | null; images?: { image_url: { url: string } }[] };
type Message = OpenAI.Chat.ChatCompletionUserMessageParam;

describe('a chat that draws', () => {
  let platform: Platform;
  let key: string;
  let openai: OpenAI;
  before(async () => {
    platform = await startPlatform({
      smallPictures: true,
      environment: { FACADE_HEARTBEAT_AFTER_SECONDS: '1' },
    });
    key = await platform.createKey(await platform.createAccount({ tier: 'pro', credits: 500 }));
    openai = new OpenAI({ baseURL: `${platform.serviceUrls[0]}/openai/v1`, apiKey: key });
  });
  after(() => platform[Symbol.asyncDispose]());

  const says = (content: Message['content']): Message => ({ role: 'user', content });
  const ask = (body: object) =>
    openai.chat.completions.create(body as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming);
  const pictureOf = (url: string) => {
    const [, type, encoded = ''] = /^data:image\/(\w+);base64,(.*)$/.exec(url) ?? [];
    return { type, bytes: Buffer.from(encoded, 'base64') };
  };
  async function generations(): Promise<{ kind: string }[]> {
    const answer = await fetch(`${platform.serviceUrls[0]}/v1/generations?limit=100`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return ((await answer.json()) as { data: { kind: string }[] }).data;
  }

  test('is answered with a link for everybody and a data URL for who knows it', async () => {
    const { choices, id } = await ask({
      model: 'atelier-1',
      messages: [{ role: 'system', content: 'You draw.' }, says('a lighthouse ](http://elsewhere)')],
      image_config: { aspect_ratio: '16:9' },
      modalities: ['image', 'text'],
    });
    assert.match(id, /^gen_/);
    const message = choices[0]?.message as WithPictures;
    const [, title, url = ''] = /^!\[([^\]]*)\]\((\S+)\)$/.exec(message.content ?? '') ?? [];
    assert.equal(title, 'a lighthouse http://elsewhere');
    assert.equal((await fetch(url)).status, 200);
    const { type, bytes } = pictureOf(message.images?.[0]?.image_url.url ?? '');
    const { format, width, height } = await sharp(bytes).metadata();
    assert.equal(format, type);
    assert.ok(width > height, 'it is wide, as it was asked for');
  });

  test('changes the pictures of the last message', async () => {
    const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#3060a0' } })
      .png()
      .toBuffer();
    const { choices } = await ask({
      model: 'gpt-image-1',
      messages: [
        says([
          { type: 'text', text: 'a red boat' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${image.toString('base64')}` } },
        ]),
      ],
    });
    assert.notEqual((choices[0]?.message as WithPictures | undefined)?.images?.length ?? 0, 0);
    assert.equal((await generations())[0]?.kind, 'image_edit');
  });

  test('streams what it waits for, the link, the bytes and what was used', async () => {
    const stream = await openai.chat.completions.create({
      model: 'sandbox-slow',
      messages: [says('a lighthouse')],
      stream: true,
      stream_options: { include_usage: true },
      options: { seconds: 2 },
    } as OpenAI.Chat.ChatCompletionCreateParamsStreaming);
    const chunks: OpenAI.Chat.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const deltas = chunks.map(({ choices }) => (choices[0]?.delta ?? {}) as Partial<Record<string, unknown>>);
    assert.equal(typeof deltas[0]?.['reasoning_content'], 'string');
    assert.match(
      deltas.map(({ content }) => (typeof content === 'string' ? content : '')).join(''),
      /^!\[a lighthouse\]\(http\S+\)$/,
    );
    const images = deltas.flatMap((delta) => (delta['images'] ?? []) as { image_url: { url: string } }[]);
    assert.ok(pictureOf(images[0]?.image_url.url ?? '').bytes.length > 100);
    assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop');
    assert.equal(chunks.at(-1)?.usage?.total_tokens, 0);
  });

  test('that fails says so in its stream, or instead of one', async () => {
    await assert.rejects(async () => {
      const messages = [says('a lighthouse')];
      const stream = await openai.chat.completions.create({ model: 'sandbox-fail', messages, stream: true });
      for await (const _ of stream);
    }, /could not finish the generation/);
  });

  test('that takes long begins with white space', async () => {
    const answer = await fetch(`${platform.serviceUrls[0]}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox-slow',
        messages: [says('a lighthouse')],
        options: { seconds: 2 },
      }),
    });
    assert.match(await answer.text(), /^ +\{"id":"gen_/);
  });

  test('buys no picture for a title, nor for a model that writes', async () => {
    const had = (await generations()).length;
    const asked: [object, number, string][] = [
      [{ model: 'gpt-4o-mini' }, 404, 'model_not_found'],
      [{}, 400, 'missing_required_parameter'],
      [{ model: 'atelier-1', max_tokens: 16 }, 400, 'invalid_value'],
      [
        { model: 'atelier-1', messages: [{ role: 'assistant', content: 'Hello' }] },
        400,
        'missing_required_parameter',
      ],
      [{ model: 'atelier-1', messages: [says('')] }, 400, 'missing_required_parameter'],
    ];
    for (const [body, status, code] of asked)
      await assert.rejects(
        ask({ messages: [says('A title for this conversation, please')], ...body }),
        { status, code },
        JSON.stringify(body),
      );
    assert.equal((await generations()).length, had);
  });
});
