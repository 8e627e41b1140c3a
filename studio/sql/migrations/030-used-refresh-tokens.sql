-- Whether a refresh token of a grant was used that is as many rotations on as another, or more: a grant has one for each
-- quarter of an hour of ninety days.
-- release: 2
-- transaction: none
create index concurrently oidc_payloads_used on oidc_payloads (grant_id, (coalesce((payload ->> 'rotations')::integer, 0)))
  where model = 'RefreshToken' and consumed_at is not null;
