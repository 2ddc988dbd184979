import type { ReactNode } from 'react';

/** An empty place: says that it is empty, the last fact, and one way on. */
export function Empty({
  title,
  children,
  action,
}: {
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <b>{title}</b>
      {children && <p>{children}</p>}
      {action && <div className="empty-act">{action}</div>}
    </div>
  );
}

/**
 * What a person without the permission sees: what the page is, who they are, who may, how to ask.
 * `what` is a whole sentence ("Only approvers see who signs next.").
 */
export function NoPermission({
  what,
  person,
  roles,
  needs,
  action,
}: {
  what: string;
  person: string;
  roles: readonly string[];
  /** The role that may, as it is spelt to people ("approver"). */
  needs: string;
  action?: ReactNode;
}) {
  const as = roles.length === 0 ? 'without a role' : roles.join(', ');
  return (
    <Empty title={what} action={action}>
      You are signed in as {person}, {as}. For the role “{needs}” ask an admin.
    </Empty>
  );
}
