import type { AnyTool, OutputLimits, Tool } from "../contract/tool.ts";
import { type CanonicalName, type CanonicalTool, catalog } from "../tools/catalog.ts";
import { type Answering, answerWith } from "./answer.ts";
import type { DialectTool, OfferedTool } from "./dialect.ts";

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
