import { expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import { rename } from "./rename.ts";
import { selectTools } from "./select-tools.ts";

const tools = [
  rename("file.read", { name: "Read" }),
  rename("file.write", { name: "Write" }),
  rename("search.grep", { name: "Grep" }),
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

it("takes what stands in a pattern literally, but for the star", () => {
  expect(() => namesOf("file.rea(d|x)")).toThrow(ToolError);
});

it("refuses a name that no tool has, and names the nearest", () => {
  expect(() => namesOf("Raed")).toThrow(
    expect.objectContaining({ code: "invalid-input", hint: 'Did you mean "Read"?' }),
  );
});

it("waits for tools that may still come", () => {
  expect(selectTools(tools, ["Read", "github__*"], { more: true }).map(({ name }) => name)).toEqual(["Read"]);
});
