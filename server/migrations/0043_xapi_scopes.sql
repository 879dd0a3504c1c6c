-- Keys that could do everything in a tenant still can; narrower ones are not widened.
-- contract: one row per key, and the previous version ignores scopes that it does not know
update api_key set scopes = scopes || array['xapi:read', 'xapi:write']
where scopes @> array['users:read', 'users:write', 'users:admin', 'enrolments:read', 'enrolments:write',
    'enrolments:launch', 'catalogue:read', 'events:read', 'webhooks:write', 'audit:read']
  and not scopes && array['xapi:read', 'xapi:write'];
