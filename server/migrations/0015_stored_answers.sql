-- An answer is stored in the transaction of what it answers for: no claims, and so nothing to renew or to take over.
-- about: SHA-256 of tenant and LoginID, when the request names a user. answer null: that person was erased meanwhile.

-- contract: no version was released that claims
delete from stored_answer where answer is null;
-- contract: no version was released that claims
alter table stored_answer drop column claim_id, drop column claimed_at;
alter table stored_answer add column about text;
