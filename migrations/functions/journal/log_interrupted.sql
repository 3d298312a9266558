-- Requests that began and that nobody will end, because their process died: recorded once, at no charge. What their vendors
-- bill is not known.
create or replace function log_interrupted(journal_id text, begin_records text[]) returns void language plpgsql as $$
declare
  begin_record text;
begin
  foreach begin_record in array begin_records loop
    begin
      insert into usage (
        request_id, accepted_at, ended_at, account_id, key_id, model, asked_model, endpoint, streamed, status, reason, attempts,
        total_ms, estimated, hostile, price_id, rates, factor_ppm, hold_nanos, charge_nanos, ledgers, losses, journal,
        cost_nanos, costs, tags)
      select b.request, to_timestamp(b.at / 1000.0), to_timestamp(b.at / 1000.0), b.account, b.key, b.model, b.asked, b.endpoint,
             b.streamed, 0, 'interrupted', 0, 0, false, '{}', b.price, b.rates, b.factor, b.hold, 0, b.ledgers, '{}', journal_id,
             0, '[{"nanos": "0", "used": "unknown"}]', b.tags
        from jsonb_to_record(begin_record::jsonb) as b (
             at int8, request text, account int8, key int8, model text, endpoint text, streamed boolean,
             price int8, rates jsonb, factor int8, hold int8, ledgers text[], asked text, tags text[])
       where not exists (select from usage u where u.request_id = b.request);
    exception when data_exception or integrity_constraint_violation then
      raise warning 'an interrupted request cannot be recorded: %', sqlerrm;
    end;
  end loop;
end
$$;
