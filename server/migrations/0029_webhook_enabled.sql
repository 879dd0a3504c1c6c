-- When the endpoint was last enabled: what was attempted before is due again, and its 72 hours count from then.
alter table webhook add column enabled_at timestamptz;
