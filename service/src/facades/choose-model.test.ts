import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  exampleEditModel,
  exampleModel,
  exampleVideoModel,
} from '@renderkit/contract/studio/examples/models.ts';
import { indexOf } from '../catalog/catalog-index.ts';
import { readA1111Request } from './a1111/image-request.ts';
import { chooseModel } from './choose-model.ts';
import { readChatRequest } from './openai/chat-request.ts';
import { readImageRequest } from './openai/image-request.ts';
import { readVideoRequest } from './openai/video-request.ts';

const others = ['atelier', 'nocturne', 'linework', 'engrave', 'prism', 'sketch'].map((id) =>
  exampleModel({ id, name: id, default_for: [] }),
);
const index = indexOf({
  version: 'v1',
  plan: 'plus',
  models: [exampleModel(), ...others, exampleEditModel(), exampleVideoModel()],
  styles: [],
  suggestions: [],
});

test('a name that there is not is answered with the nearest ids, or the first of the suite', () => {
  const said = (name: string) => (chooseModel(index, 'image', name) as { unknown: string }).unknown;
  assert.equal(said('ateliers'), 'there is no model ateliers; the nearest is atelier');
  assert.equal(
    said('gpt-4o'),
    'there is no model gpt-4o; those that there are: plain, atelier, nocturne, linework, engrave and 2 more',
  );
});

test('a model that does not do what it is asked for is refused with those that do', () => {
  const picture = { reference: 'upl_1', identity: 'a' };
  const pictures = { images: [picture], mask: undefined };
  const fields = (model: string) => ({ prompt: 'a lake', model });
  const changes = /model plain changes no pictures; these do: brush; leave model out for brush\.$/;
  assert.throws(() => readImageRequest(index, { fields: fields('plain'), files: [] }, pictures), changes);
  const ofA1111 = { prompt: 'a lake', override_settings: { sd_model_checkpoint: 'plain' } };
  const sources = { images: [picture], mask: undefined };
  assert.throws(() => readA1111Request(index, ofA1111, { chosenModel: undefined, sources }), changes);
  for (const model of ['reel', 'brush']) {
    const makes = new RegExp(
      `The model ${model} makes no pictures from words; these do: plain, .* for plain`,
    );
    assert.throws(() => readImageRequest(index, { fields: fields(model), files: [] }), makes);
    const said = { text: 'a lake', pictures: [] };
    assert.throws(() => readChatRequest(index, fields(model), said), makes);
  }
  assert.throws(
    () => readVideoRequest(index, fields('plain'), { route: 'videos', start: undefined }),
    /The model plain makes no videos; these do: reel; leave model out for reel\.$/,
  );
});
