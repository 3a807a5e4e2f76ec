import type { Toolcrib } from "../../toolcrib/index.ts";
import { freeformFieldOf, type ReadInput, readFreeform, readStrict } from "../../wire/read-arguments.ts";

/** The arguments that the text of a call without JSON stands for. */
export async function freeformInput(crib: Toolcrib, name: string, text: unknown): Promise<ReadInput> {
  return readFreeform(await definitionOf(crib, name), { name, text });
}

/** The arguments of a strict call without the nulls that strict mode made the model write. */
export async function strictInput(crib: Toolcrib, name: string, input: ReadInput): Promise<ReadInput> {
  return readStrict(await definitionOf(crib, name), input);
}

/** The name of the tool that patches are for, if there is one here. */
export async function patchTool(crib: Toolcrib): Promise<string | undefined> {
  const definitions = await crib.definitions({ which: "all" });
  return definitions.find((definition) => freeformFieldOf(definition) !== undefined)?.name;
}

async function definitionOf(crib: Toolcrib, name: string) {
  const definitions = await crib.definitions({ which: "all" });
  return definitions.find((definition) => definition.name === name || definition.canonical === name);
}
