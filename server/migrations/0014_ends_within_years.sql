-- Ends that no time of four-digit years can show, as extensions before a first launch could make.
-- contract: rows that could not be read; the version before makes and reads the new values too
update enrolment set expires_at = least(expires_at, '9999-12-31T00:00:00Z'), ended_at = least(ended_at, '9999-12-31T00:00:00Z')
where expires_at > '9999-12-31T23:59:59.999Z' or ended_at > '9999-12-31T23:59:59.999Z';
