-- The first transfer at or after a moment, give or take what transactions overlapped: ids rise with time, so a search by
-- halves needs no index on the time, which every flush would pay for. A caller that needs it exact searches on from a little earlier.
create or replace function transfer_id_at(moment timestamptz) returns int8 language plpgsql stable as $$
declare
  low int8 := 0;
  high int8 := (select coalesce(max(id), 0) + 1 from transfers);
  middle int8;
  each record;
begin
  while low < high loop
    middle := (low + high) / 2;
    select t.id, t.at into each from transfers t where t.id >= middle order by t.id limit 1;
    if not found or each.at >= moment then
      high := middle;
    else
      low := each.id + 1;
    end if;
  end loop;
  return high;
end
$$;
