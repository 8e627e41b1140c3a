-- Tries to sign in and to make accounts, counted so that passwords cannot be guessed in numbers. The counts are
-- shared by all processes and outlive their restarts; only a crash of the database forgets them, which costs nobody
-- anything, and so no disk is kept waiting for them.
create unlogged table sign_in_attempts (
  -- SHA-256 of what is counted: an account's address, an internet address, or both.
  subject text primary key,
  attempts integer not null,
  window_ends_at timestamptz not null
);
create index sign_in_attempts_end on sign_in_attempts (window_ends_at);

-- A new password ends the browsers that signed in with the old one.
create index oidc_payloads_sessions on oidc_payloads (account_id) where model = 'Session';
