-- What requests were served with and had no price. Fires after the other sums, so that sums are always locked in one order.
-- Nothing here may refuse a row: it would keep a charge from being posted.
create or replace function sum_unpriced_usage() returns trigger language plpgsql as $$
begin
  insert into unpriced_usage as s
    select coalesce(other[2], p.model), coalesce(p.upstream, ''), left(coalesce(other[1], u.what), 200), count(*),
           min(p.ended_at), max(p.ended_at), (array_agg(p.request_id order by p.ended_at desc))[1]
      from posted p
     cross join lateral jsonb_array_elements_text(
             case when jsonb_typeof(charged -> 'unpriced') = 'array' then charged -> 'unpriced' else '[]' end) as u (what)
      -- "speed fast of another-model": an advisor or a fallback lacks the price.
     cross join lateral regexp_match(u.what, '^(.+) of (\S+)$') as other
     where charged is not null and u.what is not null
     group by 1, 2, 3
     order by 1 collate "C", 2 collate "C", 3 collate "C"
  on conflict (model, upstream, what) do update set
    requests = s.requests + excluded.requests, first_at = least(s.first_at, excluded.first_at),
    last_at = greatest(s.last_at, excluded.last_at),
    request_id = case when excluded.last_at >= s.last_at then excluded.request_id else s.request_id end;
  -- Rows that another flush is adding to are not the oldest; to wait for them could lock in another order.
  if found then
    delete from unpriced_usage where (model, upstream, what) in (
      select model, upstream, what from unpriced_usage order by last_at desc offset 1000 for update skip locked);
  end if;
  return null;
end
$$;
