import { safeParse } from "zod/v4/core";
import { ToolError } from "../contract/error.ts";
import type { AnyTool, OutputLimits, Tool, ToolContext, ToolOutput } from "../contract/tool.ts";
import { loadOnce } from "../lib/async/load-once.ts";
import { nearest } from "../lib/text/nearest.ts";
import { unknownName } from "../lib/unknown-name.ts";
import { type CanonicalName, type CanonicalTool, catalog } from "../tools/catalog.ts";
import type { DialectTool, OfferedTool, ResolvedCall } from "./dialect.ts";

export type InputOf<Name extends CanonicalName> =
  CanonicalTool<Name> extends Tool<infer Input, unknown> ? Input : Record<string, unknown>;

export type DataOf<Name extends CanonicalName> =
  CanonicalTool<Name> extends Tool<infer _Input, infer Data> ? Data : unknown;

/** The input and the data of every canonical tool. */
export type CanonicalTools = {
  readonly [Name in CanonicalName]: { readonly input: InputOf<Name>; readonly data: DataOf<Name> };
};

/** How a dialect tool differs from the canonical one. TypeScript checks the field names. */
export interface Renaming<Name extends CanonicalName> {
  readonly name: string;
  readonly description?: string | undefined;
  /** Canonical field to the dialect's name for it; fields not listed keep theirs. */
  readonly fields?: { readonly [Field in keyof InputOf<Name>]?: string } | undefined;
  /** Descriptions that replace those of canonical fields. */
  readonly describe?: { readonly [Field in keyof InputOf<Name>]?: string } | undefined;
  /** The only values that a text field accepts. */
  readonly values?: { readonly [Field in keyof InputOf<Name>]?: readonly string[] } | undefined;
  /** The only fields that the dialect offers, even when the canonical tool gains more. Default: all. */
  readonly only?: readonly (keyof InputOf<Name>)[] | undefined;
  /** Fields that work but are not in the definition, because each costs tokens in every request. */
  readonly hiddenFields?: readonly (keyof InputOf<Name>)[] | undefined;
  /** Fields that are required here and optional in the canonical tool. */
  readonly require?: readonly (keyof InputOf<Name>)[] | undefined;
  /** Values for fields that the caller leaves out, or that the dialect does not offer. */
  readonly defaults?: { readonly [Field in keyof InputOf<Name>]?: InputOf<Name>[Field] } | undefined;
  /** Throws for arguments that the canonical tool accepts and the dialect refuses. */
  readonly check?: ((input: InputOf<Name>) => void) | undefined;
  readonly limits?: OutputLimits | undefined;
  readonly timeoutMs?: number | undefined;
  readonly answer?: Answering<DataOf<Name>, Record<string, unknown>> | undefined;
}

/** Offers a canonical tool under a dialect's names. The schema is derived, never restated. */
export function renameTool<Name extends CanonicalName>(
  canonical: Name,
  renaming: Renaming<Name>,
): DialectTool {
  checkMade(canonical, renaming, renamingKeys);
  const { load } = loadOnce(
    async (): Promise<OfferedTool> => renameLoaded(await catalog[canonical](), renaming),
  );
  return { name: renaming.name, canonical, ...needsOf(canonical), load };
}

/** Refuses a canonical tool that does not exist, and keys that would have no effect. */
export function checkMade(
  canonical: CanonicalName,
  made: { readonly name: string },
  keys: Readonly<Record<string, true>>,
): void {
  if (!Object.hasOwn(catalog, canonical)) {
    const near = nearest(canonical, Object.keys(catalog));
    throw new ToolError("invalid-input", `There is no canonical tool ${JSON.stringify(canonical)}`, {
      hint: near ? `Did you mean ${near}?` : "docs/tools.md lists all tools.",
    });
  }
  const unknown = unknownName(made, Object.keys(keys), { owner: `The tool ${made.name}`, kind: "key" });
  if (unknown) throw unknown;
}

const renamingKeys: Readonly<Record<keyof Renaming<CanonicalName>, true>> = {
  name: true,
  description: true,
  fields: true,
  describe: true,
  values: true,
  only: true,
  hiddenFields: true,
  require: true,
  defaults: true,
  check: true,
  limits: true,
  timeoutMs: true,
  answer: true,
};

/** Tools about agents are offered only where there are agents. */
export function needsOf(canonical: CanonicalName): Pick<DialectTool, "needs"> {
  return canonical.startsWith("agent.") ? { needs: "agents" } : {};
}

/** Applies the changes of a dialect, except those of the arguments. */
export function retitle(
  tool: AnyTool,
  { name, description = tool.description, limits = tool.limits, timeoutMs = tool.timeoutMs }: Titles,
): AnyTool {
  return { ...tool, name, canonical: tool.name, description, limits, timeoutMs };
}

type Titles = Pick<Renaming<CanonicalName>, "name" | "description" | "limits" | "timeoutMs">;

async function renameLoaded(tool: AnyTool, renaming: Renaming<CanonicalName>): Promise<OfferedTool> {
  const renamed = { ...retitle(tool, renaming), hiddenFields: renaming.hiddenFields ?? [] };
  const resolve = (input: unknown, given: unknown) => {
    // The pipeline reports arguments of the wrong type.
    if (renaming.check && safeParse(tool.input, input).success) renaming.check(input as never);
    return answerWith({ tool: renamed, input }, renaming.answer, given as Record<string, unknown>);
  };
  if (inputChanges.every((change) => renaming[change] === undefined))
    return { ...renamed, takesCanonical: true, resolve: (given) => resolve(given, given) };
  const { renameInput } = await import("./rename-input.ts");
  const { wire, toCanonical } = renameInput(tool.input, renaming);
  const fields = (renaming.fields ?? {}) as Readonly<Record<string, string>>;
  return { ...renamed, input: wire, fields, resolve: (given) => resolve(toCanonical(given), given) };
}

const inputChanges = ["fields", "values", "only", "require", "defaults", "describe"] as const;

/** The text that a dialect shows instead of the canonical tool's output. */
export type Answer =
  | string
  | (Pick<ToolOutput, "text"> &
      Partial<Omit<ToolOutput, "data" | "continuation">> & {
        /** Undefined removes the continuation of the canonical tool. */
        readonly continuation?: string | undefined;
      });

/** Formats the output of a tool for a dialect; `given` are the arguments in the dialect. */
export type Answering<Data, Given> = (
  output: ToolOutput<Data>,
  given: Given,
  context: ToolContext,
) => Answer | Promise<Answer>;

export function answerWith<Given>(
  call: ResolvedCall,
  // biome-ignore lint/suspicious/noExplicitAny: the dialect has checked the type of the data
  answer: Answering<any, Given> | undefined,
  given: Given,
): ResolvedCall {
  if (answer === undefined) return call;
  const { tool } = call;
  const run: AnyTool["run"] = async (input, context) => {
    const output = await tool.run(input, context);
    const answered = await answer(output, given, context);
    return { ...output, ...(typeof answered === "string" ? { text: answered } : answered) };
  };
  return { ...call, tool: { ...tool, run } };
}
