/** Puts a server's question to the person. */
export type Elicit = (question: {
  readonly server: string;
  readonly message: string;
  /** As the server asked: `requestedSchema` is that of the answer. */
  readonly params: ElicitParameters;
}) => Promise<ElicitAnswer>;

export interface ElicitParameters {
  readonly message: string;
  readonly requestedSchema?: object;
}

export interface ElicitAnswer {
  action: "accept" | "decline" | "cancel";
  /** By the names of the schema's properties. */
  content?: Record<string, string | number | boolean | string[]>;
}
