/** Tools whose input is described with ArkType and Valibot. */
import { type } from "arktype";
import { defineTool, openToolcrib, ToolError } from "toolcrib";
import * as v from "valibot";

const repeat = defineTool({
  name: "repeat",
  description: "Repeat a word.",
  input: type({ word: "string > 0", "times?": "1 <= number.integer <= 5" }),
  risk: "read",
  run: ({ word, times = 2 }) => word.repeat(times),
});
const scale = v.object({ factor: v.pipe(v.number(), v.minValue(1)), unit: v.optional(v.string(), "mm") });
const scaled = defineTool({
  name: "scaled",
  description: "Scale a length of 10.",
  input: scale,
  inputSchema: { type: "object", properties: { factor: { type: "number" } }, required: ["factor"] },
  risk: "read",
  run: ({ factor, unit }) => `${10 * factor} ${unit}`,
});

const toolcrib = await openToolcrib({ workspace: ".", tools: [repeat, scaled] });
const own = (await toolcrib.definitions()).filter(({ name }) => name === "repeat" || name === "scaled");
console.log(own.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}).join("+")).join(" "));
// prints: word+times factor
console.log((await toolcrib.call("repeat", { word: "ha", times: 3 })).content);
// prints: hahaha
console.log((await toolcrib.call("scaled", { factor: 2 })).content);
// prints: 20 mm
for (const [name, input] of [
  ["repeat", { word: "" }],
  ["scaled", { factor: 0 }],
] as const) {
  const { error } = await toolcrib.call(name, input);
  console.log(error?.code, error?.message.includes(name === "repeat" ? "word" : "factor"));
}
// prints: invalid-input true
// prints: invalid-input true
await toolcrib.close();

const { inputSchema: _, ...incomplete } = scaled;
const error = await openToolcrib({ workspace: ".", tools: [incomplete] }).catch((reason: unknown) => reason);
console.log(error instanceof ToolError && error.message);
// prints: The tool scaled cannot be offered. valibot gives no JSON Schema of this input.
