-- Session tokens hold this ID too: after a restored backup the same launch number is given to another launch.
-- Null: the launch began before there were IDs.
alter table launch add column launch_id uuid;

-- A number may be repeated only by the same commit. Null: taken before there were hashes, or erased.
alter table run_time_commit add column body_hash text;
