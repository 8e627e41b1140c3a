-- An administrator may pause a model by hand, and reads what was done to one thing.
-- release: 2

-- Why somebody paused it; it stays so, whatever backends there are, until somebody resumes it. Null: nobody did.
alter table models add column pause_asked text;

create index admin_audit_of on admin_audit (subject, at desc, id desc);
