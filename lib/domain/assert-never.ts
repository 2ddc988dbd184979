/** Ends a switch over a closed set: the compiler refuses it as soon as a case is missing. */
export function assertNever(value: never): never {
  throw new TypeError(`not one of the known cases: ${JSON.stringify(value)}`);
}
