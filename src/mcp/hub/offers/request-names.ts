/** The requests of the protocol that are made as calls, so that rules decide about them and the journal records them. */
export const requestNames = ["resources/read", "prompts/get"] as const;

export type RequestName = (typeof requestNames)[number];

/** The name of such a call. No tool of a server has one with a slash. */
export function requestTool<Request extends RequestName>(
  server: string,
  request: Request,
): `${string}__${Request}` {
  return `${server}__${request}`;
}
