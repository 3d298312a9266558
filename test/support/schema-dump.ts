import { fileURLToPath } from "node:url";
import type { Queryable } from "../../src/storage/database.ts";

/** The committed dump: a change of the schema shows there as a difference to read. */
export const SCHEMA_DUMP = fileURLToPath(new URL("schema-dump.txt", import.meta.url));

/**
 * Everything that the migrations make, one sorted line an object, the same from PostgreSQL 15 to 17: so views are
 * there by their columns, whose texts PostgreSQL prints anew in each version, and functions by what callers see.
 * Partitions are left out, which come and go by the day.
 */
export async function dumpSchema(db: Queryable): Promise<string> {
  const rows = await db.query<{ line: string }>(LINES);
  return `${rows.map(({ line }) => line).join("\n")}\n`;
}

const OWN = `
  select c.oid, c.relname::text as name, c.relkind, c.relpersistence, c.reloptions
    from pg_class c
   where c.relnamespace = current_schema()::regnamespace and not c.relispartition`;

const LINES = `with own as (${OWN})
  select line from (
    select format('%s %s%s', case relkind when 'v' then 'view' when 'c' then 'type' else 'table' end, name,
             case relpersistence when 'u' then ' unlogged' else '' end
             || coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '')
             || coalesce(' partition by ' || pg_get_partkeydef(oid), '')) as line
      from own where relkind in ('r', 'p', 'v', 'c')
    union all
    select format('column %s.%s %s', o.name, a.attname, format_type(a.atttypid, a.atttypmod)
             || coalesce(' collate ' || nullif(nullif(l.collname, 'default'), ''), '')
             || case when a.attnotnull then ' not null' else '' end
             || case when a.attidentity <> '' then ' identity' else '' end
             || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''))
      from own o
      join pg_attribute a on a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped
      left join pg_collation l on l.oid = a.attcollation
      left join pg_attrdef d on d.adrelid = o.oid and d.adnum = a.attnum
     where o.relkind in ('r', 'p', 'v', 'c')
    union all
    select format('constraint %s.%s %s', o.name, c.conname, pg_get_constraintdef(c.oid))
      from own o join pg_constraint c on c.conrelid = o.oid and c.contype in ('c', 'f', 'p', 'u', 'x')
    union all
    select format('index %s', regexp_replace(pg_get_indexdef(oid), '(ON (ONLY )?)' || current_schema() || '\\.', '\\1'))
      from own where relkind in ('i', 'I')
    union all
    select format('trigger %s', regexp_replace(pg_get_triggerdef(t.oid), 'ON ' || current_schema() || '\\.', 'ON '))
      from own o join pg_trigger t on t.tgrelid = o.oid and not t.tgisinternal
    union all
    select format('function %s(%s) returns %s language %s volatility %s parallel %s', p.proname,
             pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), l.lanname, p.provolatile, p.proparallel)
      from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = current_schema()::regnamespace
    ) as lines
   order by line collate "C"`;
