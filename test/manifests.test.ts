import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import packageDescription from "../package.json" with { type: "json" };

const { name, version, description } = packageDescription;

function read(path: string) {
  return JSON.parse(readFileSync(join(import.meta.dirname, "..", path), "utf8"));
}

it("starts exactly this version from the plugin of Claude Code", () => {
  const [plugin] = read(".claude-plugin/marketplace.json").plugins;
  expect(plugin).toEqual({ name, source: "./packaging/claude-plugin", description });
  expect(read(join(plugin.source, ".claude-plugin/plugin.json"))).toMatchObject({
    name,
    version,
    description,
    mcpServers: { toolcrib: { command: "npx", args: ["-y", `toolcrib@${version}`, "mcp"] } },
  });
});

it("starts exactly this version in the workspace from the extension of Gemini CLI", () => {
  const args = ["-y", `toolcrib@${version}`, "mcp", "--workspace", `\${workspacePath}`];
  expect(read("gemini-extension.json")).toMatchObject({
    name,
    version,
    description,
    mcpServers: { toolcrib: { command: "npx", args } },
  });
});
