import type { Database } from '@renderkit/server-kit/db/database.ts';

/**
 * Returns the tables of the schema `public` as SQL text, generated from the catalog. The same migrations give the same
 * text on every supported version of PostgreSQL. The text is only for reading: migrations create the tables, and the
 * files of `sql/functions` contain the functions.
 */
export async function schemaText(database: Database): Promise<string> {
  const tables = await database.rows<{ text: string }>(tablesQuery);
  const head =
    '-- Written by tools/dump-schema.ts from a migrated database. Change migrations, not this file. Functions stand in functions/.';
  const parts = tables.map(({ text }) => text.trimEnd());
  return `${[head, ...parts].join('\n\n')}\n`;
}

// First the columns, then constraints (primary key first), indexes that belong to no constraint, and triggers. NOT NULL
// is written at its column: since version 18 it is also a separate constraint.
const tablesQuery = `
  select format(E'create %stable %I (\\n%s\\n);', case c.relpersistence when 'u' then 'unlogged ' else '' end, c.relname,
      concat_ws(E',\\n', nullif(columns.text, ''), nullif(constraints.text, '')))
    || coalesce(E'\\n' || indexes.text, '') || coalesce(E'\\n' || triggers.text, '') as text
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
  cross join lateral (
    select string_agg(format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then ' not null' else '' end,
      case when a.attidentity <> '' then ' generated ' || case a.attidentity when 'a' then 'always' else 'by default' end
          || ' as identity'
        when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
        else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end), E',\\n' order by a.attnum) as text
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
  cross join lateral (
    select string_agg(format('  constraint %I %s', conname, pg_get_constraintdef(oid, true)), E',\\n'
      order by position(contype::text in 'pufcx'), conname) as text
    from pg_constraint where conrelid = c.oid and contype in ('p', 'u', 'f', 'c', 'x')) as constraints
  cross join lateral (
    select string_agg(pg_get_indexdef(i.indexrelid) || ';', E'\\n' order by ic.relname) as text
    from pg_index i join pg_class ic on ic.oid = i.indexrelid
    where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid
      and k.contype in ('p', 'u', 'x'))) as indexes
  cross join lateral (
    select string_agg(pg_get_triggerdef(oid) || ';', E'\\n' order by tgname) as text
    from pg_trigger where tgrelid = c.oid and not tgisinternal) as triggers
  where c.relkind in ('r', 'p') and c.relname not in ('schema_migrations', 'schema_functions', 'schema_release')
  order by c.relname`;
