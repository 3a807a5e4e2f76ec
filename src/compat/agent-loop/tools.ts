import type { Risk } from "../../contract/access.ts";

/** A tool as a loop knows it: an object like this, or an instance of one of the classes below. */
export interface LoopTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object, as OpenAI takes it. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The most that a call can do, by which calls are judged; "execute" if not said. */
  readonly risk?: Risk;
  /** What it gives becomes text; what it throws becomes the text `Tool execution error: …`. */
  handler?(args: Readonly<Record<string, unknown>>): unknown;
}

/** A tool that does something. */
export abstract class BaseTool implements LoopTool {
  abstract readonly name: string;
  abstract readonly description: string;
  abstract readonly parameters: Readonly<Record<string, unknown>>;
  readonly risk: Risk = "execute";
  abstract handler(args: Readonly<Record<string, unknown>>): unknown;
}

/** A tool that is only described: it can be listed, and a call of it is answered by saying so. */
export abstract class MetadataOnlyTool implements LoopTool {
  abstract readonly name: string;
  abstract readonly description: string;
  abstract readonly parameters: Readonly<Record<string, unknown>>;
}
