import { Type, type Static } from 'typebox';
import { realAnswers } from '../real-answers.ts';
import { closed } from './schema-builders.ts';

const bytes = (description: string) => Type.Integer({ minimum: 0, description });

/**
 * The studio counts in `studio/sql/functions/storage_json.sql`; `studio/src/storage/reserve.ts` refuses what does not
 * fit.
 */
export const Storage = closed(
  {
    object: Type.Literal('storage'),
    used_bytes: bytes('Bytes that the account stores: uploads and outputs together.'),
    limit_bytes: bytes('Bytes that it may store. What was accepted before is stored beyond it all the same.'),
    uploads_bytes: bytes('Of these, files that were sent or imported.'),
    outputs_bytes: bytes('Of these, items of the library and frames. Thumbnails are not counted.'),
  },
  {
    title: 'Storage',
    description: 'What the account stores, and may store.',
    examples: [realAnswers.storage],
  },
);

export type Storage = Static<typeof Storage>;
