import type { Database } from '@renderkit/server-kit/db/database.ts';

type Source = {
  from: string;
  where?: string;
  /** Columns of an index in its order, which tell the rows apart, and their types. */
  order: Readonly<Record<string, 'text' | 'integer' | 'bigint' | 'timestamptz'>>;
  /** An array of keys, or of folders. */
  names: string;
};

/**
 * All that names a folder, in the order in which it is to be read. What is announced, or made by a render whose other jobs go on,
 * comes first: the rows that will name it are read later, so that a folder on its way from one to the other is met at least once.
 */
const sources = {
  announced: { from: 'loose_folders', order: { folder: 'text' }, names: 'array[folder]' },
  made: {
    from: 'renders r',
    where: `status in ('queued', 'running') and accepted_at > '-infinity'`,
    order: { accepted_at: 'timestamptz', id: 'text' },
    names: `array(select file ->> 'storage_key' from submissions s, jsonb_array_elements(s.made) as file
      where s.render_id = r.id and s.made is not null)`,
  },
  frames: { from: 'frames', order: { video_id: 'text', time_ms: 'bigint' }, names: 'array[storage_key]' },
  // What was rejected is named and gone.
  uploads: {
    from: 'uploads',
    order: { id: 'text' },
    names: `case when status = 'rejected' then '{}' else array[storage_key] end`,
  },
  assets: {
    from: 'assets',
    order: { id: 'text' },
    names: 'array_remove(array[storage_key, thumb_key], null)',
  },
  versions: {
    from: 'model_versions',
    order: { model_id: 'text', version: 'integer' },
    names: 'array_remove(array[thumbnail_key], null)',
  },
} as const satisfies Record<string, Source>;

export type NameSource = keyof typeof sources;
export const nameSources = Object.keys(sources) as NameSource[];

/** Where a row stands in the order of its source. */
export type Place = readonly string[];
export type NamingRow = { place: string[]; names: string[] };

/**
 * The rows after a place, so many of them or all up to another place. Each is a look at an index, however many rows there are:
 * nothing else of what reads all names comes to an end within a statement's time.
 */
export async function selectNames(
  database: Database,
  source: NameSource,
  range: { after: Place | undefined } & ({ atMost: number } | { upTo: Place }),
): Promise<NamingRow[]> {
  const { from, where = 'true', order, names }: Source = sources[source];
  const columns = Object.keys(order);
  const types = Object.values(order);
  const values: unknown[] = [];
  const given = (value: unknown) => `$${values.push(value)}`;
  const compare = (operator: string, place: Place) =>
    `and (${columns.join(', ')}) ${operator} (${place.map((at, i) => `${given(at)}::${types[i]}`).join(', ')})`;
  return database.rows<NamingRow>(
    `select array[${columns.map((column) => `${column}::text`).join(', ')}] as place, ${names} as names
       from ${from} where ${where}
       ${range.after === undefined ? '' : compare('>', range.after)}
       ${'upTo' in range ? compare('<=', range.upTo) : ''}
      order by ${columns.join(', ')} ${'atMost' in range ? `limit ${given(range.atMost)}` : ''}`,
    values,
  );
}
