-- What the tree state shares with the learner's other courses; empty if nothing. Null if a previous version stored the
-- tree state: a launch that reads it fills this column.
alter table attempt add column shared text;
