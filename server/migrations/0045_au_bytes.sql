-- What the AUs of an enrolment have stored: the bytes of statements with attachments, and of documents.
alter table enrolment add column au_bytes bigint not null default 0;
