import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ToolDefinition } from "../../dialects/definition.ts";

export type LanguageModelTool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

/** How tools are told to an API, and what comes of it in calls. */
export interface ToolFormat {
  toTool(definition: ToolDefinition, position: { readonly isLast: boolean }): LanguageModelTool;
  /** Whether calls may hold nulls that only strict mode asked for. */
  readonly isStrict: boolean;
}

/** The tools of a session, in its order; made once, because the session's list never changes. */
export interface ToolBox {
  /** As requests hold them. */
  readonly tools: LanguageModelTool[];
  find(name: string): ToolDefinition | undefined;
  /** Whether a tool was told as one that is given text instead of an object. */
  isFreeform(name: string): boolean;
}

export function toolBoxes(format: ToolFormat): (definitions: readonly ToolDefinition[]) => ToolBox {
  const boxes = new WeakMap<readonly ToolDefinition[], ToolBox>();
  return (definitions) => {
    const known = boxes.get(definitions);
    if (known) return known;
    const box = toolBox(definitions, format);
    boxes.set(definitions, box);
    return box;
  };
}

function toolBox(definitions: readonly ToolDefinition[], { toTool }: ToolFormat): ToolBox {
  const tools = definitions.map((definition, index) =>
    toTool(definition, { isLast: index === definitions.length - 1 }),
  );
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const freeform = new Set(tools.filter(isCustom).map(({ name }) => name));
  return { tools, find: (name) => byName.get(name), isFreeform: (name) => freeform.has(name) };
}

function isCustom(tool: LanguageModelTool): boolean {
  return tool.type === "provider" && tool.id === "openai.custom";
}
