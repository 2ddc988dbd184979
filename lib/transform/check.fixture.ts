import { SOURCE_COLUMNS } from '@/lib/transform/accepted.fixture';
import { checkTransform, type Transform } from '@/lib/transform/parse';
import type { Problem } from '@/lib/transform/problem';

export const context = {
  sourceColumns: SOURCE_COLUMNS,
  targetColumns: [
    { name: 'line', type: 'text' },
    { name: 'invoiced_at', type: 'timestamptz' },
    { name: 'net', type: 'numeric(14,3)' },
  ],
  key: ['line'],
  businessTime: 'invoiced_at',
};

export async function accepted(sql: string): Promise<Transform> {
  const check = await checkTransform(sql, context);
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return check.transform;
}

export async function refused(sql: string): Promise<readonly Problem[]> {
  const check = await checkTransform(sql, context);
  if (check.ok) throw new Error(`accepted: ${check.transform.normal}`);
  return check.problems;
}

/** A transform with one expression as its `net`. */
export const withNet = (expression: string) =>
  `select line, invoiced_at, ${expression} as net from source`;
/** A transform that computes one expression of any type, beside what it puts out. */
export const using = (expression: string) =>
  `select line, invoiced_at, net from (select line, invoiced_at, 1.5 as net, ${expression} as x from source) s`;
/** A transform with a condition. */
export const where = (condition: string) =>
  `select line, invoiced_at, 1.5 as net from source where ${condition}`;

export const codeOf = async (sql: string) => (await refused(sql)).map(({ code }) => code);
