-- Besides the trigger: who is no superuser may not even try, the tables' owner included.
revoke update, delete, truncate on control.audit_event from public, current_user;
