-- Free space on each page, so that commits update these rows without new entries in their indexes.
alter table enrolment set (fillfactor = 90);
alter table launch set (fillfactor = 90);
alter table attempt set (fillfactor = 80);
alter table attempt_unit set (fillfactor = 80);
