-- A row as the two records that quarantine keeps. Operators look for the request's id and model there.
create or replace function records_of_row(row_text text) returns table (begin_record text, end_record text) language sql immutable as $$
  select case when row_text like '{%' then split_part(row_text, E'\t', 1)
              else format('{"request":%s,"model":%s}', to_json(split_part(row_text, E'\t', 3)), to_json(split_part(row_text, E'\t', 6)))
         end,
         case when row_text like '{%' then split_part(row_text, E'\t', 2) else row_text end;
$$;
