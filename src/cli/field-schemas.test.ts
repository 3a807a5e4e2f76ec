import { expect, it } from "vitest";
import * as z from "zod/mini";
import { renameTool } from "../dialects/rename.ts";
import { fieldSchemasOf } from "./tool-fields.ts";

it("finds types, choices, descriptions and required fields inside every wrapper", () => {
  const input = z.strictObject({
    path: z.string().check(z.minLength(1), z.describe("A file.")),
    limit: z.optional(z.int().check(z.describe("At most."))),
    mode: z._default(z.enum(["content", "files"]), "content"),
    only: z.optional(z.array(z.string())).check(z.describe("Names.")),
    globs: z.nullable(z.union([z.string(), z.array(z.string())])),
  });
  expect(fieldSchemasOf({ input: input.check(z.refine(() => true)) })).toEqual({
    path: { types: ["string"], description: "A file.", required: true },
    limit: { types: ["number"], description: "At most.", required: false },
    mode: { types: ["string"], choices: ["content", "files"], required: false },
    only: {
      types: ["array"],
      items: { types: ["string"], required: true },
      description: "Names.",
      required: false,
    },
    globs: { types: ["string", "array"], items: { types: ["string"], required: true }, required: true },
  });
});

it("returns a dialect's field names", async () => {
  const tool = await renameTool("file.move", {
    name: "mv",
    fields: { from: "source" },
    only: ["from", "to"],
  }).load();
  expect(Object.keys(fieldSchemasOf(tool))).toEqual(["source", "to"]);
});
