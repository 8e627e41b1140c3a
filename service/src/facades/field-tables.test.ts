import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  exampleEditModel,
  exampleModel,
  exampleVideoModel,
} from '@renderkit/contract/studio/examples/models.ts';
import { indexOf } from '../catalog/catalog-index.ts';
import { readA1111Request } from './a1111/image-request.ts';
import { a1111Fields, chatFields, type FieldTable, imageFields, videoFields } from './field-tables.ts';
import { readChatRequest } from './openai/chat-request.ts';
import { readImageRequest } from './openai/image-request.ts';
import { readVideoRequest } from './openai/video-request.ts';

const index = indexOf({
  version: 'v1',
  plan: 'plus',
  models: [exampleModel(), exampleEditModel(), exampleVideoModel()],
  styles: [],
  suggestions: [],
});
const picture = { reference: 'upl_1', identity: 'a' };

/** Returns fields that record which of them were read. */
function notingReads(fields: Record<string, unknown>) {
  const read = new Set<string>();
  const noted = new Proxy(fields, {
    get: (target, name) => (read.add(String(name)), target[String(name)]),
  });
  return { noted, read };
}

/**
 * `before`: fields that the mapping does not read, because they are read before it (pictures, conversations) or have an
 * effect without being read.
 */
const mappings: [
  door: string,
  table: FieldTable,
  before: string[],
  map: (fields: Record<string, unknown>) => unknown,
][] = [
  [
    'images',
    imageFields,
    ['image', 'images', 'mask'],
    (fields) => readImageRequest(index, { fields, files: [] }),
  ],
  [
    'chats',
    chatFields,
    ['messages', 'modalities'],
    (fields) => readChatRequest(index, fields, { text: 'a lake', pictures: [] }),
  ],
  [
    'videos',
    videoFields,
    ['input_reference', 'video'],
    (fields) => readVideoRequest(index, fields, { route: 'videos', start: undefined }),
  ],
  [
    'A1111',
    a1111Fields,
    ['init_images', 'mask'],
    (fields) =>
      readA1111Request(index, fields, {
        chosenModel: undefined,
        sources: { images: [picture], mask: picture },
      }),
  ],
];

for (const [door, table, before, map] of mappings)
  test(`the mapping of ${door} reads every field that its table promises, and no other`, () => {
    const { noted, read } = notingReads(door === 'chats' ? { model: 'plain' } : {});
    map(noted);
    assert.deepEqual([...read, ...before].toSorted(), Object.keys(table).toSorted());
  });
