/** A tool of the program's own, and mistakes in one that fail at opening. */
import { defineTool, openToolcrib, ToolError } from "toolcrib";
import { z } from "zod";

const priceOf = defineTool({
  name: "price_of",
  description: "Look up the price of an article.",
  input: z.object({ article: z.enum(["hammer", "saw"]), count: z.number().int().min(1).default(1) }),
  risk: "read",
  run: ({ article, count }) => ({ article, total: (article === "saw" ? 19 : 12) * count }),
});
const lineCount = defineTool({
  name: "line_count",
  description: "Count the lines of a file.",
  input: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  accesses: (input) => [{ kind: "read", path: String(input.path) }],
  run: async (input, { environment, signal }) => {
    const { bytes } = await environment.readFile(String(input.path), { maxBytes: 10_000, signal });
    return `${new TextDecoder().decode(bytes).split("\n").length - 1} lines`;
  },
});

const toolcrib = await openToolcrib({ workspace: ".", tools: [priceOf, lineCount] });
const listed = (await toolcrib.definitions()).filter(
  ({ name }) => name === "price_of" || name === "line_count",
);
console.log(listed.map(({ name, description }) => `${name}: ${description}`).join(" "));
// prints: price_of: Look up the price of an article. line_count: Count the lines of a file.
console.log(JSON.stringify((await toolcrib.call("price_of", { article: "saw", count: 2 })).data));
// prints: {"article":"saw","total":38}
const wrong = await toolcrib.call("price_of", { article: "nail" });
console.log(wrong.isError, wrong.error?.code);
// prints: true invalid-input
console.log((await toolcrib.call("line_count", { path: "poem.txt" })).content);
// prints: 2 lines
await toolcrib.close();

const broken = { ...priceOf, name: "price of" };
const error = await openToolcrib({ workspace: ".", tools: [broken] }).catch((reason: unknown) => reason);
console.log(error instanceof ToolError, error instanceof ToolError && error.hint !== undefined);
// prints: true true
