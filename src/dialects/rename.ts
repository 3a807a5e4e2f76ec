import type { AnyTool, OutputLimits, Tool, ToolOutput } from "../contract/tool.ts";
import { type CanonicalName, type CanonicalTool, catalog } from "../tools/catalog.ts";
import type { DialectTool, OfferedTool, ResolvedCall } from "./dialect.ts";

export type InputOf<Name extends CanonicalName> =
  CanonicalTool<Name> extends Tool<infer Input, unknown> ? Input : Record<string, unknown>;

export type DataOf<Name extends CanonicalName> =
  CanonicalTool<Name> extends Tool<infer _Input, infer Data> ? Data : unknown;

/** How a dialect's tool differs from the canonical one; TypeScript checks the field names. */
export interface Renaming<Name extends CanonicalName> {
  readonly name: string;
  readonly summary?: string;
  /** Canonical field to the dialect's name for it; fields not listed keep theirs. */
  readonly fields?: { readonly [Field in keyof InputOf<Name>]?: string };
  /** Other words for a canonical field. */
  readonly describe?: { readonly [Field in keyof InputOf<Name>]?: string };
  /** The only values of a text. */
  readonly values?: { readonly [Field in keyof InputOf<Name>]?: readonly string[] };
  /** The only fields the dialect offers, also when the canonical tool gets more; all if not said. */
  readonly only?: readonly (keyof InputOf<Name>)[];
  /** Fields that work, but that models are not told of: each costs tokens in every request. */
  readonly untold?: readonly (keyof InputOf<Name>)[];
  /** Fields the caller must give although the canonical tool can do without. */
  readonly require?: readonly (keyof InputOf<Name>)[];
  /** Values the dialect gives when the caller does not, or always where it does not offer the field. */
  readonly defaults?: { readonly [Field in keyof InputOf<Name>]?: InputOf<Name>[Field] };
  readonly limits?: OutputLimits;
  readonly timeoutMs?: number;
  /** The answer in the dialect's words, from the canonical one. */
  readonly answer?: Answering<DataOf<Name>, Record<string, unknown>>;
}

/** A canonical tool under a dialect's names. The wire schema is derived, never restated. */
export function rename<Name extends CanonicalName>(canonical: Name, renaming: Renaming<Name>): DialectTool {
  return {
    name: renaming.name,
    canonical,
    ...needsOf(canonical),
    load: async () => renameTool(await catalog[canonical](), renaming),
  };
}

/** Who works alone has no use for tools about other agents. */
export function needsOf(canonical: CanonicalName): Pick<DialectTool, "needs"> {
  return canonical.startsWith("agent.") ? { needs: "agents" } : {};
}

/** What a dialect changes of a canonical tool besides its arguments. */
export function retitle(
  tool: AnyTool,
  { name, summary = tool.summary, limits = tool.limits, timeoutMs = tool.timeoutMs }: Titles,
): AnyTool {
  return {
    ...tool,
    name,
    canonical: tool.name,
    summary,
    limits,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

type Titles = Pick<Renaming<CanonicalName>, "name" | "summary" | "limits" | "timeoutMs">;

async function renameTool(tool: AnyTool, renaming: Renaming<CanonicalName>): Promise<OfferedTool> {
  const renamed = { ...retitle(tool, renaming), untold: renaming.untold ?? [] };
  const means = (input: unknown, given: unknown) =>
    answerWith({ tool: renamed, input }, renaming.answer, given as Record<string, unknown>);
  if (!changesInput(renaming))
    return { ...renamed, takesCanonical: true, means: (given) => means(given, given) };
  const { renameInput } = await import("./rename-input.ts");
  const { wire, toCanonical } = renameInput(tool.input, renaming);
  const fields = (renaming.fields ?? {}) as Readonly<Record<string, string>>;
  return { ...renamed, input: wire, fields, means: (given) => means(toCanonical(given), given) };
}

function changesInput({
  fields,
  values,
  only,
  require,
  defaults,
  describe,
}: Renaming<CanonicalName>): boolean {
  return [fields, values, only, require, defaults, describe].some((change) => change !== undefined);
}

/** What a dialect says instead of the canonical tool's text. */
export type Answer =
  | string
  | (Pick<ToolOutput, "text"> &
      Partial<Omit<ToolOutput, "data" | "continuation">> & {
        /** Undefined takes back what the tool says of the rest. */
        readonly continuation?: string | undefined;
      });

/** Puts what a tool gives into a dialect's words; `given` are the arguments in the dialect. */
export type Answering<Data, Given> = (output: ToolOutput<Data>, given: Given) => Answer;

/** The same call, answered in the words of a dialect. */
export function answerWith<Given>(
  call: ResolvedCall,
  // biome-ignore lint/suspicious/noExplicitAny: whose data it is the dialect has checked
  answer: Answering<any, Given> | undefined,
  given: Given,
): ResolvedCall {
  if (answer === undefined) return call;
  const { tool } = call;
  const answered: AnyTool = {
    ...tool,
    run: async (input, context) => reword(await tool.run(input, context), answer, given),
  };
  return { ...call, tool: answered };
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function reword<Given>(output: ToolOutput, answer: Answering<any, Given>, given: Given): ToolOutput {
  const said = answer(output, given);
  if (typeof said === "string") return { ...output, text: said };
  const { continuation, ...others } = { ...output, ...said };
  return { ...others, ...(continuation !== undefined && { continuation }) };
}
