import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { isRole, ROLES, type Role } from '@/lib/domain/permissions';
import { env } from '@/lib/env';
import { CliError } from '../api-client';
import { collect } from '../options';
import { type Session, withJson } from '../session';
import { usage } from '../yaml-file';

export function addTokenCommands(program: Command, session: Session): void {
  const token = program.command('token').description('tokens for the API');
  withJson(token.command('create'))
    .description(
      'make a token on the server itself, against DATABASE_URL or the running embedded database; makes the person if new',
    )
    .requiredOption('--person <name>', 'whom it speaks for')
    .requiredOption(
      '--role <role>',
      `what it may do: ${ROLES.join(', ')}; may be repeated`,
      collect,
    )
    .action(async ({ person, role }: { person: string; role: string[] }) => {
      const made = await createToken(person, role.map(roleOf));
      await session.showOwn(
        { token: made.token, id: made.id, person: made.person, roles: made.roles },
        () => {
          session.io.say('This token is shown once; keep it in INTERLOCK_TOKEN:');
          return `${made.token}\n`;
        },
      );
    });
}

/** Loads the database only here: every other command starts without it. */
async function createToken(person: string, roles: readonly Role[]) {
  const [{ connect }, { findEmbedded }, { provisionToken }] = await Promise.all([
    import('@/lib/db/client'),
    import('@/lib/db/embedded'),
    import('@/lib/services/people'),
  ]);
  const { DATABASE_URL, INTERLOCK_DATA } = env();
  const url = DATABASE_URL ?? (await findEmbedded(INTERLOCK_DATA));
  if (url === null) {
    throw new CliError(
      `DATABASE_URL is not set, and no embedded database is running under ${INTERLOCK_DATA}; start it with npm start`,
    );
  }
  const db = connect(url, { role: 'tool', max: 1 });
  try {
    return await provisionToken(db, { person, roles, requestId: `cli-${randomUUID()}` });
  } finally {
    await db.close();
  }
}

function roleOf(text: string): Role {
  const role = text === 'on-call' ? 'oncall' : text;
  if (isRole(role)) return role;
  throw usage(`${JSON.stringify(text)} is no role; they are ${ROLES.join(', ')}`);
}
