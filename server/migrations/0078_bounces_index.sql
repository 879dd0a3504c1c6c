-- outside a transaction
-- Finds out whether an address has bounced.
drop index concurrently if exists user_bounced;
create index concurrently user_bounced on "user" (tenant_id, (lower(email) collate "C"), login_id) where email_bounced_at is not null;
-- POST /mail/bounce: the tenant of an email, which the operator's mail provider does not know.
drop index concurrently if exists mail_by_id;
create index concurrently mail_by_id on mail (mail_id);
