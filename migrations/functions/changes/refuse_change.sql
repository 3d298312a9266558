create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed or removed', tg_table_name
    using hint = 'Add a new row instead.', errcode = 'restrict_violation';
end
$$;
