/** What a server says of itself. */
export interface ServerIdentity {
  readonly version: string;
  readonly instructions?: string | undefined;
}
