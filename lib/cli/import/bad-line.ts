/** A record that cannot become an event. `code` is one of the API's where there is one. */
export class BadLine extends Error {
  override readonly name = 'BadLine';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
