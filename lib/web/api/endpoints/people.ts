import * as z from 'zod';
import { roleSchema } from '@/lib/domain/permissions';
import { personList, personView } from '@/lib/queries/person-view';
import { createToken, revokeToken, setRoles } from '@/lib/services/people';
import * as answers from '@/lib/web/api/answers';
import { endpoint, noContent, ok } from '@/lib/web/api/endpoint';
import { listOf, pageQuery } from '@/lib/web/api/fields';

const roles = z.array(roleSchema).max(20);

export const people = [
  endpoint({
    method: 'GET',
    path: '/people',
    id: 'listPeople',
    tag: 'people',
    summary: 'People with their roles, by name',
    permission: 'people.read',
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page of people.', schema: listOf(answers.person) } },
    handle: async ({ ctx, query }) => ok(await personList(ctx.db, query)),
  }),
  endpoint({
    method: 'GET',
    path: '/people/{person}',
    id: 'getPerson',
    tag: 'people',
    summary: 'One person, with roles and tokens (never their secrets)',
    permission: 'people.read',
    answers: { 200: { description: 'The person.', schema: answers.person } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params }) => ok(await personView(ctx.db, params.person ?? '')),
  }),
  endpoint({
    method: 'PUT',
    path: '/people/{person}',
    id: 'putPerson',
    tag: 'people',
    summary: 'Gives a person exactly these roles; makes the person if new',
    description:
      'Roles are read at each decision, so a lost one counts at once, and a signature of an approver who lost the role no longer stands.',
    permission: 'people.write',
    body: z.strictObject({
      roles,
      displayName: z.string().trim().min(1).max(200).optional(),
      email: z.email().max(254).toLowerCase().nullable().optional(),
    }),
    answers: {
      200: { description: 'The person was there.', schema: answers.person },
      201: { description: 'The person is new.', schema: answers.person },
    },
    codes: ['INVALID_NAME', 'LAST_ADMIN'],
    handle: async ({ ctx, params, body }) => {
      const { created, ...answer } = await setRoles(ctx, { person: params.person ?? '', ...body });
      return { ...ok(answer), status: created ? 201 : 200 };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/people/{person}/tokens',
    id: 'createToken',
    tag: 'people',
    summary: 'Makes a token for a person; its text is shown this once',
    description:
      'The token counts as far as its person still has its roles. Left out, `roles` are all that the person has, now and later.',
    permission: 'token.create',
    body: z.strictObject({ roles: roles.min(1).optional() }),
    bodyOptional: true,
    secret: true,
    answers: { 201: { description: 'The token.', schema: answers.newToken } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, body }) => ({
      ...ok(await createToken(ctx, { person: params.person ?? '', ...body })),
      status: 201,
    }),
  }),
  endpoint({
    method: 'DELETE',
    path: '/tokens/{token}',
    id: 'revokeToken',
    tag: 'people',
    summary: 'Revokes a token, by its id',
    permission: 'token.revoke',
    answers: { 204: { description: 'The next call with it is 401.' } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params }) => {
      await revokeToken(ctx, { id: params.token ?? '' });
      return noContent;
    },
  }),
];
