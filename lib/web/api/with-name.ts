import { Invalid } from '@/lib/domain/refusal';

/**
 * A body with the name that its path gives. A file's form holds the name too, so it may be there,
 * but not another one.
 *
 * @throws Invalid where the two disagree
 */
export function withName<Name extends string, Body>(
  body: Body,
  field: Name,
  name: string,
): Body & Record<Name, string> {
  const said = (body as Record<string, unknown>)[field];
  if (said !== undefined && said !== name) {
    throw new Invalid({
      pointer: `/${field}`,
      code: 'INVALID_INPUT',
      message: `The path says ${JSON.stringify(name)}, the body something else.`,
    });
  }
  return { ...body, [field]: name } as Body & Record<Name, string>;
}
