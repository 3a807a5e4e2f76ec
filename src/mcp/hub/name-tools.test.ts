import { expect, it } from "vitest";
import { nameTools } from "./tool-names.ts";

it("gives a short name to the first tool that has it, and warns about the others", () => {
  const { tools, warnings } = nameTools([
    { server: "github", tools: ["search", "read"] },
    { server: "my wiki", tools: ["search"] },
  ]);
  expect(tools).toEqual([
    { server: "github", ownName: "search", longName: "github__search", name: "search" },
    { server: "github", ownName: "read", longName: "github__read", name: "read" },
    { server: "my wiki", ownName: "search", longName: "my_wiki__search", name: "my_wiki__search" },
  ]);
  expect(warnings).toEqual([
    '"search" is a tool of the MCP server github; the one of my wiki is my_wiki__search.',
  ]);
});

it("never reassigns a used name to another server", () => {
  const { tools } = nameTools([{ server: "b", tools: ["search"] }], new Map([["search", "a__search"]]));
  expect(tools).toEqual([{ server: "b", ownName: "search", longName: "b__search", name: "b__search" }]);
});

it("gives no server a name that could be the long name of another server's tool", () => {
  const { tools } = nameTools([
    { server: "a", tools: ["b__c", "_x"] },
    { server: "a__b", tools: ["c"] },
    { server: "a_", tools: [] },
    { server: "evil", tools: ["gone__search", "a__b__d"] },
    { server: "gone", tools: [] },
  ]);
  expect(tools.map(({ ownName, longName, name }) => [ownName, longName, name])).toEqual([
    ["b__c", "a__b_c", "b__c"],
    ["_x", expect.stringMatching(/^a__tool-/), "_x"],
    ["c", "a__b__c", "c"],
    ["gone__search", "evil__gone__search", "evil__gone__search"],
    ["a__b__d", "evil__a__b__d", "evil__a__b__d"],
  ]);
});

it("makes every name valid for providers, and unique", () => {
  const servers = [
    { server: "a", tools: ["b__c", "x.y", "x_y", "…", "n".repeat(200)] },
    { server: "a__b", tools: ["c", "a__x_y"] },
    { server: "n".repeat(100), tools: ["n".repeat(200)] },
  ];
  const { tools } = nameTools(servers);
  const names = tools.map(({ name }) => name);
  expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(8);
  expect(new Set(tools.map(({ longName }) => longName)).size).toBe(8);
});
