import { expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import { selectTools } from "./find-tool.ts";
import { renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";

const tools = [
  renameTool("file.read", { name: "Read" }),
  renameTool("file.write", { name: "Write" }),
  renameTool("search.grep", { name: "Grep" }),
];
const sets = { look: ["Read", "search.*"] };

const namesOf = (...wanted: string[]) => selectTools(tools, wanted, { sets }).map(({ name }) => name);

it("finds tools by both of their names, by patterns and by sets, in the order of the dialect", () => {
  expect([
    namesOf("Grep", "Read"),
    namesOf("file.write"),
    namesOf("file.*"),
    namesOf("look"),
    namesOf("all"),
  ]).toEqual([["Read", "Grep"], ["Write"], ["Read", "Write"], ["Read", "Grep"], ["Read", "Write", "Grep"]]);
});

it("treats patterns literally, except for the star", () => {
  expect(() => namesOf("file.rea(d|x)")).toThrow(ToolError);
});

it("prefers the name of a tool to a set or a pattern with the same spelling", () => {
  const odd = ["look", "all", "file*"].map((name) => renameTool("time.now", { name }));
  const select = (wanted: string) =>
    selectTools([...tools, ...odd], [wanted], { sets }).map(({ name }) => name);
  expect([select("look"), select("all"), select("file*")]).toEqual([["look"], ["all"], ["file*"]]);
});

it("refuses an unknown name, and suggests the nearest", () => {
  expect(() => namesOf("Raed")).toThrow(
    expect.objectContaining({ code: "invalid-input", hint: 'Did you mean "Read"?' }),
  );
});

it("does not select a combined tool by one of its canonical tools", () => {
  const both = reshapeTool(["file.read", "file.write"], {
    name: "Editor",
    description: "Reads, or writes.",
    input: (z) => z.strictObject({ path: z.string() }),
    resolve: ({ path }) => ["file.read", { path }],
  });
  const select = (...wanted: string[]) => selectTools([both], wanted).map(({ name }) => name);
  expect([select("Editor"), select("file.read", "file.write"), select("file.*")]).toEqual([
    ["Editor"],
    ["Editor"],
    ["Editor"],
  ]);
  expect(() => select("file.read")).toThrow(
    expect.objectContaining({ code: "invalid-input", hint: 'Select "Editor".' }),
  );
});

it("waits for tools that may be added later", () => {
  expect(selectTools(tools, ["Read", "github__*"], { more: true }).map(({ name }) => name)).toEqual(["Read"]);
});
