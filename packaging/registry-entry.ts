import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes the entry of the MCP registry. Without a repository on GitHub the registry takes no entry, and none is written. */
export function writeRegistryEntry(output: string): void {
  const {
    name: identifier,
    version,
    mcpName,
    repository,
  } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly mcpName?: string;
    readonly repository?: { readonly url: string };
  };
  if (mcpName === undefined || repository === undefined) {
    console.log(
      "No server.json: package.json has no mcpName. Set it: npm pkg set mcpName=io.github.OWNER/toolcrib",
    );
    return;
  }
  const entry = {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: mcpName,
    title: "Toolcrib",
    description: "Tools for coding agents: every call is checked, sandboxed, logged and undoable.",
    repository: { url: repository.url.replace(/^git\+|\.git$/g, ""), source: "github" },
    version,
    packages: [
      {
        registryType: "npm",
        identifier,
        version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "mcp" }],
      },
    ],
  };
  writeFileSync(output, `${JSON.stringify(entry, undefined, 2)}\n`);
}
