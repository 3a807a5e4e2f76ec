import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";
import { ToolError } from "../../src/contract/error.ts";
import type { AnyTool, ToolContext, ToolOutput } from "../../src/contract/tool.ts";
import { inputOf } from "../../src/mcp/hub/schema/input-of.ts";

/** The tools that the official suite calls by name, as far as our tools can do what it expects. */
export function fixtureTools(changeTools: () => void): readonly AnyTool[] {
  return [
    reader("test_simple_text", async () => says("This is a simple text response for testing.")),
    reader("test_image_content", async () => ({ ...says(""), images: [redPixel] })),
    reader("test_error_handling", async () => {
      throw new ToolError("unavailable", "This tool intentionally returns an error for testing");
    }),
    reader("test_tool_with_progress", async ({ progress }) => {
      for (const step of ["first", "second", "third"]) {
        progress(`the ${step} of three steps`);
        // Progress is not reported more often than this.
        await wait(150);
      }
      return says("All three steps are done");
    }),
    reader("test_logging_tool", async () => says("Nothing was logged")),
    reader("test_tool_with_logging", async ({ progress }) => {
      for (const step of ["started", "is half done", "completed"]) progress(`The tool ${step}`);
      return says("Three messages were logged");
    }),
    reader("test_reconnection", async () => says("Nobody was cut off")),
    reader("test_long_output", async () => says("a line of many\n".repeat(5_000))),
    reader("test_trigger_tool_change", async () => {
      changeTools();
      return says("There is another tool now");
    }),
    reader("greet", async (_context, { name }) => says(`Hello, ${name}!`)),
    reader("slow_compute", async ({ signal }, { seconds }) => {
      await wait(Number(seconds) * 1000, undefined, { signal });
      return says("It is computed");
    }),
    reader("failing_job", async () => {
      await wait(1_000);
      throw new ToolError("unavailable", "This job always fails");
    }),
    asker("confirm_delete"),
    asker("test_elicitation"),
    asker("test_streaming_elicitation"),
    asker("test_input_required_result_elicitation"),
    asker("test_input_required_result_request_state"),
    asker("test_input_required_result_tampered_state"),
    { ...reader("json_schema_2020_12_tool", async () => says("")), input: inputOf(newestSchema) },
  ];
}

/** A tool that appears and disappears. */
export const passingTool: AnyTool = reader("test_passing_tool", async () => says("Still here"));

type Input = Readonly<Record<string, unknown>>;

function reader(name: string, run: (context: ToolContext, input: Input) => Promise<ToolOutput>): AnyTool {
  return {
    name,
    description: `What the suite knows as ${name}.`,
    risk: "read",
    input: z.looseObject({}),
    limits: { maxChars: 30_000, keep: "both" },
    accesses: () => [],
    run: (input, context) => run(context, input as Input),
  };
}

/** Runs after the user has approved it: the only question that our tools ask. */
function asker(name: string): AnyTool {
  return { ...reader(name, async () => says("It was allowed")), risk: "execute" };
}

function says(text: string): ToolOutput {
  return { data: {}, text };
}

const redPixel = {
  mediaType: "image/png",
  base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
};

/** Has the keywords that the suite looks for in the list. */
const newestSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};
