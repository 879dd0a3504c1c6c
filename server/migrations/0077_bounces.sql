-- Bounces that the mail provider reports after it has accepted an email: docs/adr/0100-bounces.md.
-- Since when the user's email address is known not to exist. A new address clears both columns.
alter table "user" add column email_bounced_at timestamptz, add column email_bounce_reason text;

-- bounce_kind: 'permanent' or 'temporary'.
alter table mail add column bounced_at timestamptz, add column bounce_kind text, add column bounce_reason text;
