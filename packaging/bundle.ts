import { writeFileSync } from "node:fs";
import { join } from "node:path";
import packageDescription from "../package.json" with { type: "json" };
import { installPackage, run, systems } from "./stage.ts";

/** Builds the bundle that desktop clients install by a double click, from the packed package. */
export function buildBundle(archive: string, folder: string, output: string): void {
  const content = join(folder, "bundle");
  const start = installPackage(archive, content, systems);
  writeFileSync(join(content, "manifest.json"), `${JSON.stringify(manifest(start), undefined, 2)}\n`);
  const mcpb = join(import.meta.dirname, "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js");
  run(process.execPath, [mcpb, "validate", join(content, "manifest.json")], folder);
  run(process.execPath, [mcpb, "pack", content, output], folder);
}

/** The client replaces `${…}` by the folder of the bundle and by what the user has chosen. */
function manifest(start: string): object {
  const { name, version, description, license, keywords, engines } = packageDescription;
  const { repository } = packageDescription as { repository?: object };
  return {
    manifest_version: "0.3",
    name,
    display_name: "Toolcrib",
    version,
    description,
    author: { name: "The Toolcrib contributors" },
    ...(repository && { repository }),
    license,
    keywords,
    server: {
      type: "node",
      entry_point: start,
      mcp_config: {
        command: "node",
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the client replaces them
        args: [
          `\${__dirname}/${start}`,
          "mcp",
          "--workspace",
          "${user_config.workspace}",
          "--mode",
          "${user_config.mode}",
        ],
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the client replaces them
        env: {},
      },
    },
    tools_generated: true,
    user_config: {
      workspace: {
        type: "directory",
        title: "Workspace",
        description: "The folder that the tools may read and change.",
        required: true,
      },
      mode: {
        type: "string",
        title: "Mode",
        description: "What runs without approval: safe = reads, cautious = reads and writes.",
        default: "cautious",
        required: false,
      },
    },
    compatibility: { platforms: ["darwin", "linux"], runtimes: { node: engines.node } },
  };
}
