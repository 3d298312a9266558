-- What requests were served with and had no price. Fires after the other sums, so that sums are always locked in one order.
-- Nothing here may refuse a row: it would keep a charge from being posted.
create or replace function sum_unpriced_usage() returns trigger language plpgsql as $$
begin
  insert into unpriced_usage as s
    select model, coalesce(upstream, ''), left(u.what, 200), count(*), min(ended_at), max(ended_at),
           (array_agg(request_id order by ended_at desc))[1]
      from posted, lateral jsonb_array_elements_text(
             case when jsonb_typeof(charged -> 'unpriced') = 'array' then charged -> 'unpriced' else '[]' end) as u (what)
     where charged is not null and u.what is not null
     group by 1, 2, 3
     order by model collate "C", coalesce(upstream, '') collate "C", left(u.what, 200) collate "C"
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
