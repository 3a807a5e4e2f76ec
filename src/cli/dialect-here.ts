import { findDialect } from "../dialects/dialects.ts";
import type { Dialect } from "../toolcrib/index.ts";

/** A dialect as rooms of the command line have it: nobody here starts agents. */
export async function dialectHere(name = "toolcrib"): Promise<Dialect> {
  const dialect = await findDialect(name);
  return { ...dialect, tools: dialect.tools.filter(({ needs }) => needs === undefined) };
}
