-- Adds the requests of one statement to the sums of their tags. Fires after usage_sums_spending, so that sums are always
-- locked in one order. Of each key, an account has 10,000 values with sums of their own in a month; those that come later
-- count as ''.
create or replace function sum_tags() returns trigger language plpgsql as $$
begin
  perform from posted where tags is not null limit 1;
  if not found then return null; end if;
  perform name_tag_values(array(
    select distinct (p.account_id, date_trunc('month', p.posted_at, 'UTC'), split_part(t.tag, '=', 1),
                     substr(t.tag, strpos(t.tag, '=') + 1))::tag_value
      from posted p, unnest(p.tags) as t (tag)));
  insert into spending_tags as d
    select (p.posted_at at time zone 'utc')::date, p.account_id, split_part(t.tag, '=', 1), coalesce(v.value, ''), p.model,
           count(*), count(*) filter (where usage_failed(p.reason)),
           sum(coalesce(p.input_uncached, 0)::int8 + coalesce(p.cache_read, 0) + coalesce(p.cache_write_5m, 0)
             + coalesce(p.cache_write_1h, 0)),
           sum(coalesce(p.output_visible, 0)::int8 + coalesce(p.output_reasoning, 0)), sum(p.charge_nanos),
           coalesce(sum(p.cost_nanos), 0),
           coalesce(sum(p.charge_nanos - coalesce(p.cost_nanos, 0)) filter (where p.unknown = 0), 0), sum(p.unknown),
           coalesce(sum(p.charge_nanos) filter (where p.unknown > 0), 0)
      from (select *, unknown_costs(cost_nanos, costs, upstream) as unknown from posted where tags is not null) as p
     cross join unnest(p.tags) as t (tag)
      left join tag_values v
        on v.account_id = p.account_id and v.month = date_trunc('month', p.posted_at, 'UTC')
       and v.tag_key = split_part(t.tag, '=', 1) and v.value = substr(t.tag, strpos(t.tag, '=') + 1)
     group by 1, 2, 3, 4, 5
     order by 1, 2, split_part(t.tag, '=', 1) collate "C", coalesce(v.value, '') collate "C", p.model collate "C"
  on conflict (day, account_id, tag_key, value, model) do update set
    requests = d.requests + excluded.requests, errors = d.errors + excluded.errors,
    input_tokens = d.input_tokens + excluded.input_tokens, output_tokens = d.output_tokens + excluded.output_tokens,
    charge_nanos = d.charge_nanos + excluded.charge_nanos, cost_nanos = d.cost_nanos + excluded.cost_nanos,
    margin_nanos = d.margin_nanos + excluded.margin_nanos, unknown_costs = d.unknown_costs + excluded.unknown_costs,
    unknown_charge_nanos = d.unknown_charge_nanos + excluded.unknown_charge_nanos;
  return null;
end
$$;
