import type { ToolRisk } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { calculateDescription, timeDescription, withMicroseconds } from "../../dialects/agent-loop.ts";
import { calculate } from "../../tools/math/calculate/calculate.ts";
import { showValue } from "../../tools/math/calculate/show-value.ts";
import { describedTool } from "../described-tool.ts";

/** A tool of a loop: an object like this, or an instance of one of the classes below. */
export interface LoopTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * The most that a call can do, for the policy. Default: "write", which runs without approval in the default mode: the
   * handler is the program's own code. "execute", "network" and "destructive" ask.
   */
  readonly risk?: ToolRisk | undefined;
  /** Runs the tool. Its result becomes text; an error becomes `Tool execution error: …`. */
  handler?(args: Readonly<Record<string, unknown>>): unknown;
}

/** A tool with a handler. */
export abstract class BaseTool implements LoopTool {
  abstract readonly name: string;
  abstract readonly description: string;
  abstract readonly parameters: Readonly<Record<string, unknown>>;
  readonly risk: ToolRisk = "write";
  abstract handler(args: Readonly<Record<string, unknown>>): unknown;
}

/** A tool without a handler: it is listed, and calls of it fail. */
export abstract class MetadataOnlyTool implements LoopTool {
  abstract readonly name: string;
  abstract readonly description: string;
  abstract readonly parameters: Readonly<Record<string, unknown>>;
}

/** Converts a tool of a loop. */
export function toTool(tool: LoopTool): AnyTool {
  const { name, description, parameters, handler, risk = "write" } = tool;
  return describedTool({
    name,
    description,
    parameters,
    // A call only reports the missing handler, so it is harmless.
    risk: handler === undefined ? "read" : risk,
    maxChars: 50_000,
    run: (args) => {
      if (handler !== undefined) return handler.call(tool, args);
      throw new ToolError("unsupported", `${name} has no handler`, { hint: "Use another tool." });
    },
  });
}

/** Returns the tools of the first loop: `calculate` and `get_current_time`. They need no instance. */
export function getDefaultTools(): readonly BaseTool[] {
  return [new CalculateTool(), new GetCurrentTimeTool()];
}

class CalculateTool extends BaseTool {
  readonly name = "calculate";
  readonly description = calculateDescription;
  readonly parameters = {
    type: "object",
    properties: { expression: { type: "string", description: "For example (2+3)*4." } },
    required: ["expression"],
    additionalProperties: false,
  };
  override readonly risk = "read";

  override handler({ expression }: Readonly<Record<string, unknown>>): string {
    if (typeof expression === "string") return showValue(calculate(expression, { isStrict: true })).value;
    throw new ToolError("invalid-input", "`expression` is missing", { hint: "For example (2+3)*4." });
  }
}

class GetCurrentTimeTool extends BaseTool {
  readonly name = "get_current_time";
  readonly description = timeDescription;
  readonly parameters = { type: "object", properties: {}, additionalProperties: false };
  override readonly risk = "read";

  override handler(): string {
    return withMicroseconds(new Date().toISOString()).replace("Z", "+00:00");
  }
}
