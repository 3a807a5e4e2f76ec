import type { AnyTool, OutputLimits, Tool } from "../contract/tool.ts";
import { type CanonicalName, type CanonicalTool, catalog } from "../tools/catalog.ts";
import type { DialectTool } from "./dialect.ts";

type InputOf<Name extends CanonicalName> =
  CanonicalTool<Name> extends Tool<infer Input, unknown> ? Input : Record<string, unknown>;

/** How a dialect's tool differs from the canonical one; TypeScript checks the field names. */
export interface Renaming<Name extends CanonicalName> {
  readonly name: string;
  readonly summary?: string;
  /** Canonical field to the dialect's name for it; fields not listed keep theirs. */
  readonly fields?: { readonly [Field in keyof InputOf<Name>]?: string };
  /** Fields the dialect does not offer. */
  readonly omit?: readonly (keyof InputOf<Name>)[];
  /** Fields the caller must give although the canonical tool can do without. */
  readonly require?: readonly (keyof InputOf<Name>)[];
  /** Values the dialect gives when the caller does not, or always when the field is omitted. */
  readonly defaults?: { readonly [Field in keyof InputOf<Name>]?: InputOf<Name>[Field] };
  readonly limits?: OutputLimits;
}

/** A canonical tool under a dialect's names. The wire schema is derived, never restated. */
export function rename<Name extends CanonicalName>(canonical: Name, renaming: Renaming<Name>): DialectTool {
  return {
    name: renaming.name,
    canonical,
    load: async () => renameTool(await catalog[canonical](), renaming),
  };
}

async function renameTool(tool: AnyTool, renaming: Renaming<CanonicalName>): Promise<AnyTool> {
  return {
    ...tool,
    name: renaming.name,
    canonical: tool.name,
    summary: renaming.summary ?? tool.summary,
    limits: renaming.limits ?? tool.limits,
    input: changesInput(renaming)
      ? (await import("./rename-input.ts")).renameInput(tool.input, renaming)
      : tool.input,
  };
}

function changesInput({ fields, omit, require, defaults }: Renaming<CanonicalName>): boolean {
  return [fields, omit, require, defaults].some((change) => change !== undefined);
}
