-- When a password was changed, the sessions of that person that began before end, but for the one in which it was changed.
alter table "user" add column password_changed_at timestamptz, add column password_changed_in text;
