import type { Node } from 'libpg-query';

/** A node as its kind and its fields. */
export interface Unwrapped {
  readonly kind: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Takes a node of the parser's tree apart; each is an object of one member, named by its kind. */
export function unwrap(node: Node): Unwrapped {
  const [entry] = Object.entries(node);
  if (entry === undefined) throw new TypeError('an empty node');
  return { kind: entry[0], fields: entry[1] as Record<string, unknown> };
}

/** The text of a String node, or null if it is another kind. */
export function stringOf(node: Node | undefined): string | null {
  return node && 'String' in node ? (node.String.sval ?? '') : null;
}

/** The texts of a list of String nodes, such as a qualified name; null if one is another kind. */
export function namesOf(nodes: readonly Node[] | undefined): string[] | null {
  const names = (nodes ?? []).map(stringOf);
  return names.every((name) => name !== null) ? names : null;
}

const POSITIONS = new Set([
  'location',
  'stmt_location',
  'stmt_len',
  'list_start',
  'list_end',
  'rexpr_list_start',
  'rexpr_list_end',
]);

/** The tree without positions, to compare trees of different texts. */
export function withoutPositions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPositions);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !POSITIONS.has(name))
      .map(([name, member]) => [name, withoutPositions(member)]),
  );
}

/** Rebuilds a tree; `replace` answers what a node becomes, or undefined to go into it. */
export function mapTree<T>(tree: T, replace: (node: Node) => Node | undefined): T {
  if (Array.isArray(tree)) return tree.map((item) => mapTree(item, replace)) as T;
  if (tree === null || typeof tree !== 'object') return tree;
  const changed = replace(tree as unknown as Node);
  if (changed !== undefined) return changed as T;
  return Object.fromEntries(
    Object.entries(tree).map(([name, member]) => [name, mapTree(member, replace)]),
  ) as T;
}

/** The offset of the first node below that has one, in bytes. */
export function locationOf(value: unknown): number | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const own = (value as { location?: unknown }).location;
  if (typeof own === 'number' && own >= 0) return own;
  for (const member of Object.values(value)) {
    const found = locationOf(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a member of this name stands anywhere in a tree. */
export function hasMember(tree: unknown, name: string): boolean {
  if (tree === null || typeof tree !== 'object') return false;
  return Object.entries(tree).some(([key, member]) => key === name || hasMember(member, name));
}
