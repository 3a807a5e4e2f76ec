import type { ToolSource } from "../../../contract/tool.ts";
import type { Offers } from "../../types.ts";

/** Returns the resources and prompts of the servers that an instance uses. */
export function offersOf({ sources }: { readonly sources: readonly ToolSource[] }): readonly Offers[] {
  return sources.flatMap((source) => ("offers" in source ? [source.offers as Offers] : []));
}
