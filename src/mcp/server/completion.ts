import type { Server } from "@modelcontextprotocol/server";
import { outputTemplate } from "./outputs.ts";
import type { FindParameter } from "./prompts.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";
import { fileTemplate } from "./workspace-resources.ts";

/** Completes arguments of prompts and variables of resource templates: choices, handles, and files within the rules. */
export function serveCompletion(
  server: Server,
  served: ServedToolcrib,
  findParameter: FindParameter | undefined,
): void {
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }) => {
    const known =
      ref.type === "ref/prompt"
        ? await ofPrompt(served, await findParameter?.(ref.name, argument.name))
        : await ofTemplate(served, ref.uri, argument.name);
    const starting = known.filter((value) => value.startsWith(argument.value));
    const typed = argument.value.toLowerCase();
    const containing = known.filter(
      (value) => !value.startsWith(argument.value) && value.toLowerCase().includes(typed),
    );
    const values = [...starting, ...containing];
    return {
      completion: {
        values: values.slice(0, maxValues),
        total: values.length,
        hasMore: values.length > maxValues,
      },
    };
  });
}

/** The protocol allows no more. */
const maxValues = 100;

async function ofPrompt(
  served: ServedToolcrib,
  parameter: Awaited<ReturnType<FindParameter>>,
): Promise<readonly string[]> {
  if (parameter === undefined) return [];
  if (parameter.choices.length > 0) return parameter.choices;
  return /^(?:file|path|file_?(?:name|path))s?$/i.test(parameter.name) ? served.files() : [];
}

async function ofTemplate(served: ServedToolcrib, uri: string, variable: string): Promise<readonly string[]> {
  if (uri === outputTemplate.uriTemplate) return variable === "handle" ? served.outputs : [];
  const { workspace } = await served.crib();
  if (uri !== fileTemplate(workspace).uriTemplate || variable !== "path") return [];
  return served.files();
}
