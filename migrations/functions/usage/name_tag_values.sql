-- Gives those of these values that are new a name in the sums, as long as their key has fewer than 10,000 in the month. The
-- count's row is locked, so that processes that add values of one key take turns and none passes the bound.
create or replace function name_tag_values(given tag_value[]) returns void language plpgsql as $$
begin
  given := array(
    select g from unnest(given) as g
     where not exists (select from tag_values v
                        where (v.account_id, v.month, v.tag_key, v.value) = (g.account_id, g.month, g.tag_key, g.value)));
  if cardinality(given) = 0 then return; end if;
  insert into tag_value_counts (account_id, month, tag_key, named)
    select distinct g.account_id, g.month, g.tag_key collate "C", 0 from unnest(given) as g order by 1, 2, 3
  on conflict do nothing;
  perform from tag_value_counts c
    where (c.account_id, c.month, c.tag_key) in (select g.account_id, g.month, g.tag_key from unnest(given) as g)
    order by c.account_id, c.month, c.tag_key for update;
  with added as (
    insert into tag_values (account_id, month, tag_key, value)
      select r.account_id, r.month, r.tag_key, r.value
        from (select g.*, row_number() over (partition by g.account_id, g.month, g.tag_key order by g.value) as place
                from unnest(given) as g
               where not exists (select from tag_values v
                                  where (v.account_id, v.month, v.tag_key, v.value)
                                      = (g.account_id, g.month, g.tag_key, g.value))) as r
        join tag_value_counts c on (c.account_id, c.month, c.tag_key) = (r.account_id, r.month, r.tag_key)
       where c.named + r.place <= 10000
    on conflict do nothing returning account_id, month, tag_key
  )
  update tag_value_counts c set named = c.named + a.added
    from (select account_id, month, tag_key, count(*) as added from added group by 1, 2, 3) as a
   where (c.account_id, c.month, c.tag_key) = (a.account_id, a.month, a.tag_key);
end
$$;
