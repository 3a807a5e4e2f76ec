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
  missing: [],
  repository: {
    state: { branch: "main", changedFiles: 2 },
    commits: [
      { hash: "0123456789abcdef", subject: "Count the cards" },
      { hash: "fedcba9876543210", subject: "Begin" },
    ],
  },
};

it.each(dialectNames)("the system prompt for %s matches the published one", async (dialect) => {
  const family = familyOf(dialect, "name");
  const files = instructionFiles[family].map((name) => ({
    path: `/home/ada/engine/${name}`,
    text: `What ${name} says.\n`,
    nextLine: undefined,
    bytes: 30,
    isWhole: true,
  }));
  const project = { files, refused: [] };
  const user = ["Answer in French."];
  const system = composeSystem({
    family,
    tools: await definitionsOf(dialect),
    surroundings,
    project,
    user,
  });
  await expect(`${system}\n`).toMatchFileSnapshot(`prompts/${dialect}.md`);
});

it.each(dialectNames)(
  "the base prompt for %s is short, and uses only the dialect's tool names",
  async (dialect) => {
    const tools = await definitionsOf(dialect);
    const base = basePrompt({ family: familyOf(dialect, "name"), tools });
    const named = base.match(/\b[a-z]+\.[a-z_]+\b/g) ?? [];
    expect({ foreign: named.filter((name) => name in catalog), isShort: countTokens(base) <= 620 }).toEqual({
      foreign: [],
      isShort: true,
    });
  },
);

it("tells a subagent that it works for an agent, in few tokens", async () => {
  const tools = (await definitionsOf("codex")).filter(({ canonical }) => !canonical.startsWith("agent."));
  const base = basePrompt({ family: "openai", tools, worksFor: "agent" });
  expect([base.split("\n")[0], /# Edits/.test(base), countTokens(base) <= 620]).toEqual([
    "You are a coding agent. Another agent gave you a task in the user's workspace. You work by calling tools, and your changes are real. Other agents may be working there at the same time.",
    true,
    true,
  ]);
  expect(base).not.toMatch(/agent\.[a-z]|spawn|you need the user|Only the user/);
});

it("does not mention tools that are not offered", () => {
  const base = basePrompt({ family: "other", tools: [] });
  expect(base).not.toMatch(/# Edits|patch|\brg\b|\bplan\b|keyboard/);
});

it("asks for several calls in one reply only when a reply may hold several", () => {
  const prompts = (["native", "text"] as const).flatMap((protocol) =>
    (["anthropic", "other"] as const).map((family) => basePrompt({ family, tools: [], protocol })),
  );
  expect(prompts.map((base) => base.includes("calls in one reply"))).toEqual([true, false, false, false]);
});

async function definitionsOf(name: string): Promise<readonly ToolDefinition[]> {
  const { tools } = await findDialect(name);
  return defineTools(await Promise.all(tools.map((tool) => tool.load())));
}
