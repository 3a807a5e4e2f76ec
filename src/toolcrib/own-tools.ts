import * as z from "zod/mini";
import { risks } from "../contract/access.ts";
import { ToolError } from "../contract/error.ts";
import type { AnyTool, ToolContext, ToolOutput } from "../contract/tool.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { readSchema, UnusableSchema } from "../lib/json/read-schema.ts";
import { printableLine } from "../lib/text/printable.ts";
import { unknownName } from "../lib/unknown-name.ts";
import type { CallResult } from "./call-result.ts";
import type { OwnTool, OwnToolContext } from "./define-tool.ts";

/** Completes the tools of the program. Throws for the first mistake in them, before any model sees it. */
export async function completeTools(tools: readonly OwnTool[]): Promise<readonly AnyTool[]> {
  const names = new Map<string, string>();
  for (const [index, tool] of tools.entries()) {
    const { name } = checkTool(tool, index);
    const offered = name.replaceAll(".", "_");
    const other = names.get(offered);
    if (other !== undefined)
      throw mistake(
        other === name ? `Two tools have the name ${name}` : `Models see ${other} and ${name} as ${offered}`,
        "Rename one of them.",
      );
    names.set(offered, name);
  }
  return Promise.all(tools.map(completeTool));
}

/** Checks everything but the schema. */
function checkTool(tool: OwnTool, index: number): OwnTool {
  const at = `tools[${index}]`;
  if (!isRecord(tool))
    throw mistake(`${at} is not a tool`, "Make it with defineTool({ name, description, input, run }).");
  const { name, description, run, risk } = tool as Partial<OwnTool>;
  const unknown = unknownName(tool, toolKeys, {
    owner: `The tool ${printableLine(String(name))}`,
    kind: "key",
  });
  if (unknown && (isPlain(tool) || unknown.hint?.startsWith("Did you mean"))) throw unknown;
  if (typeof name !== "string") throw mistake(`${at} has no name`, 'Add: name: "count_words"');
  if (!toolName.test(name))
    throw mistake(
      `${JSON.stringify(printableLine(name).slice(0, 100))} is not a name for a tool`,
      "Use up to 64 letters, digits, `_`, `-` and dots, and begin with a letter: count_words",
    );
  if (typeof description !== "string" || description.trim() === "")
    throw mistake(
      `The tool ${name} has no description`,
      'Add: description: "What it does, and when to use it."',
    );
  if (typeof run !== "function")
    throw mistake(`The tool ${name} has no function run`, "Add: run: async (input, context) => …");
  if (risk !== undefined && !risks.includes(risk))
    throw mistake(
      `The tool ${name} has the unknown risk ${String(risk)}`,
      `Use one of: ${risks.join(", ")}.`,
    );
  for (const part of ["accesses", "preview"] as const)
    if (tool[part] !== undefined && typeof tool[part] !== "function")
      throw mistake(`\`${part}\` of the tool ${name} is not a function`, `Write: ${part}: (input) => …`);
  return tool;
}

/** An instance of a class may have state of its own. */
function isPlain(tool: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(tool);
  return prototype === Object.prototype || prototype === null;
}

/** Also those of complete tools, which a program can take from a toolset and offer again. */
const toolKeys = Object.keys({
  name: true,
  description: true,
  input: true,
  inputSchema: true,
  risk: true,
  accesses: true,
  limits: true,
  timeoutMs: true,
  hints: true,
  startsPrograms: true,
  narrow: true,
  preview: true,
  run: true,
  canonical: true,
  server: true,
  ownName: true,
  wording: true,
  makesCalls: true,
  patienceMs: true,
} satisfies Readonly<
  Record<keyof OwnTool | Exclude<keyof AnyTool, "findsWrites" | "reachesAnywhere" | "definedAs">, true>
>);

/** All providers accept these names. */
const toolName = /^[a-zA-Z][\w.-]{0,63}$/;

async function completeTool(tool: OwnTool): Promise<AnyTool> {
  const { name, risk = "execute", limits, accesses } = tool;
  const isUnknown = accesses === undefined && risk !== "read";
  return {
    ...tool,
    risk,
    reachesAnywhere: true,
    input: await inputOf(tool),
    limits: { ...defaultLimits, ...limits },
    accesses: accesses ? accesses.bind(tool) : () => [],
    preview: tool.preview?.bind(tool),
    makesCalls: true,
    run: async (input, context) => {
      // Undo covers what the tool changes with `environment`; only its author knows the rest.
      if (isUnknown) context.uncovered(`what ${name} did outside the workspace`);
      const own = { ...context, call: callOthers(context) };
      return toOutput(await runOwn(() => tool.run(input, own), context.signal));
    },
  } as AnyTool;
}

/** Returns the function with which a tool calls others. Its calls end with its own. */
function callOthers({ calls, signal }: ToolContext): OwnToolContext["call"] {
  return async (name, input, options = {}) => {
    const signals = [signal, options.signal].filter((each) => each !== undefined);
    const result = await calls.callWhole(name, input, { signal: AbortSignal.any(signals) });
    return result as CallResult<never>;
  };
}

const defaultLimits = { maxChars: 30_000, keep: "both" } as const;

async function inputOf({ name, input, inputSchema }: OwnTool): Promise<AnyTool["input"]> {
  if (input === undefined && inputSchema === undefined) return z.strictObject({});
  try {
    return await readSchema(input ?? inputSchema, { use: "input", jsonSchema: input && inputSchema });
  } catch (error) {
    if (!(error instanceof UnusableSchema)) throw error;
    throw mistake(`The tool ${name} cannot be offered. ${error.message}`, error.hint);
  }
}

/** Runs the tool's own code. Its errors keep their message, because its author writes it for the model. */
async function runOwn(run: () => unknown, signal: AbortSignal): Promise<unknown> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof ToolError || signal.aborted) throw cause;
    throw new ToolError("internal", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function toOutput(result: unknown): ToolOutput {
  if (typeof result === "string") return { data: result, text: result };
  if (isRecord(result) && typeof result.text === "string" && "data" in result)
    return result as unknown as ToolOutput;
  return { data: result ?? null, text: JSON.stringify(result ?? null, null, 2) ?? String(result) };
}

function mistake(message: string, hint: string): ToolError {
  return new ToolError("invalid-input", message, { hint });
}
