-- Step (2) of a flush. All rows beyond the watermark in one statement; only if one of them is refused, row by row, and the
-- refused ones go to quarantine, where the platform pays what was held for them.
create or replace function log_rows(
  journal_id text, flushed_before int8, numbers int8[], balances text[], holds int8[], row_texts text[]
) returns ledger_charge[] language plpgsql as $$
declare
  charges ledger_charge[] := '{}';
  first_new int4 := 1;
begin
  while first_new <= cardinality(numbers) and numbers[first_new] <= flushed_before loop first_new := first_new + 1; end loop;
  if first_new > cardinality(numbers) then return '{}'; end if;
  begin
    return insert_usage_rows(journal_id, numbers[first_new:], row_texts[first_new:]);
  exception when data_exception or integrity_constraint_violation or cardinality_violation then
    null;
  end;
  perform lock_rollups();
  for i in first_new .. cardinality(numbers) loop
    begin
      charges := charges || insert_usage_rows(journal_id, numbers[i:i], row_texts[i:i]);
    exception when data_exception or integrity_constraint_violation or cardinality_violation then
      insert into quarantined_records (journal, record_number, ledger, hold_nanos, begin_record, end_record, refusal)
        select journal_id, numbers[i], balances[i], holds[i], r.begin_record, r.end_record, sqlerrm from records_of_row(row_texts[i]) as r;
      if holds[i] > 0 then
        insert into transfers (key, kind, ledger, from_side, to_side, amount, reference)
          values ('quarantine:' || journal_id || ':' || numbers[i], 'quarantine', balances[i], 'loss', 'revenue', holds[i],
                  'record:' || journal_id || ':' || numbers[i]);
      end if;
    end;
  end loop;
  return charges;
end
$$;
