import type { Toolcrib } from "../../toolcrib.ts";
import { objectSchema } from "../../wire/json-schema.ts";
import { freeformField } from "../../wire/openai.ts";
import { withoutNulls } from "../../wire/strict-schema.ts";
import type { ReadInput } from "./answer-calls.ts";

/** The arguments that the text of a call without JSON stands for. */
export async function freeformInput(crib: Toolcrib, name: string, text: unknown): Promise<ReadInput> {
  if (typeof text !== "string") return { ok: false, problem: "The call came without its text." };
  const definition = await definitionOf(crib, name);
  const field = definition && freeformField(definition);
  // A name that is not known is told so at the counter.
  if (definition === undefined) return { ok: true, value: {} };
  if (field === undefined) return { ok: false, problem: `${name} takes an object, not plain text.` };
  return { ok: true, value: { [field]: text } };
}

/** The arguments of a strict call without the nulls that strict mode made the model write. */
export async function strictInput(crib: Toolcrib, name: string, input: ReadInput): Promise<ReadInput> {
  if (!input.ok || !holdsNull(input.value)) return input;
  const definition = await definitionOf(crib, name);
  if (definition === undefined) return input;
  return { ok: true, value: withoutNulls(objectSchema(definition.inputSchema), input.value) };
}

/** The name of the tool that patches are for, if there is one here. */
export async function patchTool(crib: Toolcrib): Promise<string | undefined> {
  const definitions = await crib.definitions({ which: "all" });
  return definitions.find((definition) => freeformField(definition) !== undefined)?.name;
}

async function definitionOf(crib: Toolcrib, name: string) {
  const definitions = await crib.definitions({ which: "all" });
  return definitions.find((definition) => definition.name === name || definition.canonical === name);
}

function holdsNull(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  return Object.values(value).some(holdsNull);
}
