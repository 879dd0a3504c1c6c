-- A chain begins once, with its first entry. The next start begins the chains that are missing, and removes this row in
-- the same transaction.
insert into setting (name, value) values ('audit_begins', 'due');
