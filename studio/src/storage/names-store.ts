import type { Database } from '@renderkit/server-kit/db/database.ts';

type Source = {
  from: string;
  where?: string;
  /** The columns of an index in its order, with their types; together they identify a row. */
  order: Readonly<Record<string, 'text' | 'integer' | 'bigint' | 'timestamptz'>>;
  /** SQL for an array of keys or folders. */
  names: string;
};

/**
 * All sources of folder names, in the order of reading. Folders that are announced, or made by a render with other
 * running jobs, come first. The rows that later name such a folder are read afterwards, so a folder that moves between
 * sources is seen at least once.
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
  // The file of a rejected upload is removed, although its row has the key.
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

/** The position of a row in the order of its source. */
export type Place = readonly string[];
export type NamingRow = { place: string[]; names: string[] };

/**
 * Returns at most `atMost` rows after a place, or all rows up to another place. Each call is one index lookup, however
 * many rows there are: any other query for all names would exceed the statement timeout.
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
