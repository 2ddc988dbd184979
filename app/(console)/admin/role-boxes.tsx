'use client';

import { Checkbox } from '@/components/ui/field';
import type { Role } from '@/lib/domain/permissions';
import { roleSpelt } from '../roles';
import { ROLE_WORDS } from './role-words';

/** Roles to tick, each with who holds it. */
export function RoleBoxes({
  legend,
  roles,
  ticked,
  onChange,
}: {
  legend: string;
  roles: readonly Role[];
  ticked: readonly Role[];
  onChange: (roles: Role[]) => void;
}) {
  return (
    <fieldset className="role-boxes">
      <legend>{legend}</legend>
      {roles.map((role) => (
        <Checkbox
          key={role}
          checked={ticked.includes(role)}
          onChange={(event) =>
            onChange(
              event.target.checked ? [...ticked, role] : ticked.filter((each) => each !== role),
            )
          }
        >
          {roleSpelt(role)} <span className="s q">{ROLE_WORDS[role]}</span>
        </Checkbox>
      ))}
    </fieldset>
  );
}
