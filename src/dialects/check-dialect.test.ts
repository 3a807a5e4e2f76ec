import { expect, it } from "vitest";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import { type Dialect, dialectNames, renameTool, reshapeTool } from "../toolcrib/index.ts";
import { checkDialect } from "./check-dialect.ts";
import { findDialect } from "./dialects.ts";

const read = renameTool("file.read", { name: "show", fields: { path: "file" } });

it.each([
  ["nothing", undefined, "The dialect is not an object"],
  ["no name", { tools: [read] }, "The dialect has no name"],
  ["no tools", { name: "mine" }, "The dialect mine has no tools"],
  ["an unknown key", { name: "mine", tools: [read], liste: ["show"] }, 'The dialect mine has no key "liste"'],
  ["two tools of one name", { name: "mine", tools: [read, read] }, "has two tools with the name show"],
  ["something else than a tool", { name: "mine", tools: [{ name: "show" }] }, "Tool 0 of the dialect mine"],
])("refuses a dialect with %s", async (_, dialect, message) => {
  await expect(checkDialect(dialect as Dialect)).rejects.toMatchObject({
    code: "invalid-input",
    message: expect.stringContaining(message),
  });
});

it("refuses tools that do not exist, and keys that have no effect", () => {
  const named = (name: string) => () => renameTool(name as "file.read", { name: "show" });
  expect(named("file.red")).toThrow('There is no canonical tool "file.red"');
  expect(named("toString")).toThrow('There is no canonical tool "toString"');
  const misspelled = { name: "show", feilds: {} } as object as { name: string };
  expect(() => renameTool("file.read", misspelled)).toThrow('The tool show has no key "feilds"');
  expect(() => reshapeTool(["shell.rnu" as "shell.run"], {} as never)).toThrow("no canonical tool");
});

it.each(["fields", "describe", "defaults", "values"])("refuses unknown names in %s", async (key) => {
  const tool = renameTool("file.read", { name: "show", [key]: { pth: "file" } } as { name: string });
  await expect(checkDialect({ name: "mine", tools: [tool] })).rejects.toMatchObject({
    message: 'The tool behind show has no field "pth"',
    hint: "Did you mean path?",
  });
});

it.each(dialectNames)("accepts the dialect %s", async (name) => {
  await expect(checkDialect(await findDialect(name))).resolves.toMatchObject({ name });
});

it("is applied when an instance is opened", async () => {
  const dialect = { name: "mine" } as Dialect;
  await expect(temporaryToolcrib({ dialect })).rejects.toThrow("The dialect mine has no tools");
});
