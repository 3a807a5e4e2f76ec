import { wordsIn } from "../../config/commands.ts";
import { offersOf, requestTool } from "../../mcp/hub/offers/offer-names.ts";
import type { OfferedPrompt } from "../../mcp/types.ts";
import type { Toolcrib } from "../../toolcrib/index.ts";
import { callForUser, contentOf } from "./call-for-user.ts";

/** A prompt of an MCP server, as the command `/mcp__server__prompt`. */
export interface ServerPrompt {
  readonly name: string;
  /** The arguments, for help: `<file> [depth]`. */
  readonly takes: string;
  readonly description: string;
  /** Gets the prompt, about which rules decide. */
  message(words: string): Promise<string>;
}

/** Returns the prompts of the session's MCP servers. */
export async function serverPrompts(crib: Toolcrib): Promise<readonly ServerPrompt[]> {
  const lists = await Promise.all(offersOf(crib).map((offers) => offers.prompts()));
  return lists.flat().map((prompt) => ({
    name: `mcp__${prompt.name}`,
    takes: prompt.arguments.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" "),
    description: prompt.description ?? prompt.title ?? "",
    message: (words) => getPrompt(crib, prompt, words),
  }));
}

/** Returns the text of a prompt. One word is one argument; the last argument takes the rest of the words. */
async function getPrompt(
  crib: Toolcrib,
  { server, ownName, arguments: wanted }: OfferedPrompt,
  given: string,
): Promise<string> {
  const words = wordsIn(given);
  const last = wanted.length - 1;
  const values = wanted.flatMap(({ name }, at) => {
    const value = at === last ? words.slice(at).join(" ") : (words[at] ?? "");
    return value === "" ? [] : [[name, value] as const];
  });
  const input = { name: ownName, arguments: Object.fromEntries(values) };
  const text = contentOf(await callForUser(crib, requestTool(server, "prompts/get"), input));
  return `The prompt ${ownName} of the MCP server ${server}:\n\n${text}`;
}
