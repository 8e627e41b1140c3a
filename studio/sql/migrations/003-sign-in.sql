-- What the OpenID provider keeps: sessions, grants, codes, tokens. Ids that are secrets in themselves (a token's
-- value, a session's cookie) are stored as their SHA-256, so that a copy of the table opens nothing.
create table oidc_payloads (
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  account_id text,
  client_id text,
  uid text,
  user_code text,
  expires_at timestamptz,
  consumed_at timestamptz,
  -- A rotated refresh token serves once more for a short while: see sign-in/adapter.ts.
  consumed_again_at timestamptz,
  primary key (model, id)
);
create index oidc_payloads_grant on oidc_payloads (grant_id) where grant_id is not null;
create index oidc_payloads_uid on oidc_payloads (uid) where uid is not null;
create index oidc_payloads_expiry on oidc_payloads (expires_at) where expires_at is not null;
-- "Does this client still hold a grant of this account?" is asked for every account of every long poll.
create index oidc_payloads_live_grants on oidc_payloads (account_id, client_id) where model = 'Grant';
