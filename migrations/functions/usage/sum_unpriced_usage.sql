-- What requests were served with and had no price. Fires after the other sums, so that sums are always locked in one order.
-- Nothing here may refuse a row: it would keep a charge from being posted.
create or replace function sum_unpriced_usage() returns trigger language plpgsql as $$
begin
  insert into unpriced_usage as s
    select w.model, w.upstream, w.what, count(*), min(w.ended_at), max(w.ended_at),
           (array_agg(w.request_id order by w.ended_at desc))[1]
      from (select coalesce(left(other[2], 200), p.model) as model, coalesce(p.upstream, '') as upstream,
                   left(coalesce(other[1], u.what), 200) as what, p.ended_at, p.request_id
              from posted p
             cross join lateral jsonb_array_elements_text(
                     case when jsonb_typeof(charged -> 'unpriced') = 'array' then charged -> 'unpriced' else '[]' end) as u (what)
              -- "speed fast of another-model": an advisor or a fallback lacks the price.
              left join lateral regexp_match(u.what, '^(.+) of (\S+)$') as other on true
             where charged is not null and u.what is not null) as w
     group by 1, 2, 3
     order by w.model collate "C", w.upstream collate "C", w.what collate "C"
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
