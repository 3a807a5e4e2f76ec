import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import { basePrompt, familyOf, instructionFiles } from "../../src/agent/prompt/base.ts";
import { composeSystem } from "../../src/agent/prompt/build-system.ts";
import type { Surroundings } from "../../src/agent/prompt/surroundings.ts";
import { defineTools, type ToolDefinition } from "../../src/dialects/definition.ts";
import { dialectNames, findDialect } from "../../src/dialects/dialects.ts";
import { catalog } from "../../src/tools/catalog.ts";

const surroundings: Surroundings = {
  workspace: "/home/ada/engine",
  platform: "linux x64",
  day: "2026-11-16",
  model: "provider/name",
  mode: "cautious",
  isConfined: true,
  repository: {
    branch: "main",
    changedFiles: 2,
    commits: [
      { hash: "0123456789abcdef", subject: "Count the cards" },
      { hash: "fedcba9876543210", subject: "Begin" },
    ],
  },
};

it.each(dialectNames)("the system prompt for %s is as published", async (dialect) => {
  const family = familyOf(dialect, "name");
  const files = instructionFiles[family].map((name) => ({
    path: `/home/ada/engine/${name}`,
    text: `What ${name} says.\n`,
    nextLine: undefined,
    bytes: 30,
    isWhole: true,
  }));
  const project = { files, refused: [] };
  const person = ["Answer in French."];
  const system = composeSystem({
    family,
    tools: await definitionsOf(dialect),
    surroundings,
    project,
    person,
  });
  await expect(`${system}\n`).toMatchFileSnapshot(`prompts/${dialect}.md`);
});

it.each(dialectNames)("the base for %s is short, and names tools only as it knows them", async (dialect) => {
  const tools = await definitionsOf(dialect);
  const base = basePrompt(familyOf(dialect, "name"), tools);
  const named = base.match(/\b[a-z]+\.[a-z_]+\b/g) ?? [];
  expect({ foreign: named.filter((name) => name in catalog), isShort: countTokens(base) <= 620 }).toEqual({
    foreign: [],
    isShort: true,
  });
});

it("tells a subagent whom it works for, in as few words", async () => {
  const tools = (await definitionsOf("codex")).filter(({ canonical }) => !canonical.startsWith("agent."));
  const base = basePrompt("openai", tools, "agent");
  expect([base.split("\n")[0], /# Edits/.test(base), countTokens(base) <= 620]).toEqual([
    "You are a coding agent. You work for another agent, in a person's workspace, by calling tools; what you do there is real. Others may work there at the same time.",
    true,
    true,
  ]);
  expect(base).not.toMatch(/agent\.[a-z]|spawn|you need the person|only the person directs/);
});

it("says nothing of tools that are not on offer", () => {
  expect(basePrompt("other", [])).not.toMatch(/# Edits|patch|\brg\b|\bplan\b|keyboard/);
});

async function definitionsOf(name: string): Promise<readonly ToolDefinition[]> {
  const { tools } = await findDialect(name);
  return defineTools(await Promise.all(tools.map((tool) => tool.load())));
}
