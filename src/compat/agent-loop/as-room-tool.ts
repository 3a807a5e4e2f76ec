import { ToolError } from "../../contract/error.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { describedTool } from "../described-tool.ts";
import type { LoopTool } from "./tools.ts";

/** A loop's tool as a tool of the room. */
export function asRoomTool(tool: LoopTool): AnyTool {
  const { name, description, parameters, handler, risk = "execute" } = tool;
  return describedTool({
    name,
    description,
    parameters,
    // Who only says that there is no handler does no harm.
    risk: handler === undefined ? "read" : risk,
    maxChars: 50_000,
    run: (args) => {
      if (handler === undefined) throw onlyDescribed(name);
      return handler.call(tool, args);
    },
  });
}

function onlyDescribed(name: string): ToolError {
  return new ToolError("unsupported", `${name} is only described here: it has no handler`, {
    hint: "Use another tool, or let whoever listed it carry out its calls.",
  });
}
