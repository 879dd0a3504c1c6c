-- What a sign-in link and its session may do: no more than the key or session that made the link. Null in user_session:
-- signed in with a password.
alter table sign_in_link add column scopes text[];
alter table user_session add column scopes text[];

-- What an administrator who signs in with a password may do at most: the scopes of who gave them the rights or the
-- password. Null: everything an administrator may do.
alter table "user" add column admin_scopes text[];

-- Keys that could do everything in a tenant still can; narrower ones are not widened.
-- contract: one row per key, and the version before ignores scopes it does not know
update api_key set scopes = scopes || array['users:admin', 'enrolments:launch', 'audit:read']
where scopes @> array['users:read', 'users:write', 'enrolments:read', 'enrolments:write', 'catalogue:read',
    'events:read', 'webhooks:write']
  and not scopes && array['users:admin', 'enrolments:launch', 'audit:read'];
