-- `claim_generations_up_to` without a limit: what the release before calls.
create or replace function claim_generations(
  p_accounts text[],
  p_owner text,
  p_lease interval,
  -- The periodic reconciliation skips locked accounts; a caller that was woken for an account waits for it.
  p_skip_locked boolean
) returns table (
  account_id text, generation_id text, attempt integer, lane text, cost_millicredits bigint,
  -- An earlier claim may have sent a submit.
  sent_before boolean, render_request text, quote text,
  free_overall integer, free_image integer, free_edit integer, free_video integer,
  -- Milliseconds since the limits were read from the studio, and until the account may be tried again.
  limits_age_ms double precision, wait_ms double precision,
  connected boolean
)
language plpgsql volatile as $$
#variable_conflict use_column
begin
  return query select * from claim_generations_up_to(p_accounts, p_owner, p_lease, p_skip_locked, null);
end
$$;
