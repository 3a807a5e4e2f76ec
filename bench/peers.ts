import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rgPath } from "@vscode/ripgrep";
import { installPackages } from "../scripts/install-packages.ts";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Installs the peers of bench/package.json, unless they are installed. */
export function installPeers(): void {
  installPackages(root, ["--omit=optional"]);
}

/** The program that a peer's package starts. */
export function peerProgram(packageName: string, file: string): string {
  return join(root, "node_modules", packageName, file);
}

/** A module of a peer, which is not installed when types are checked. */
export async function importPeer(packageName: string, file: string) {
  return import(peerProgram(packageName, file));
}

export interface FileSystemServer {
  validatePath(path: string): Promise<string>;
  readFileContent(path: string): Promise<string>;
  writeFileContent(path: string, content: string): Promise<void>;
  tailFile(path: string, lines: number): Promise<string>;
  searchFilesWithValidation(root: string, pattern: string, allowed: string[]): Promise<string[]>;
}

/** The functions behind the tools of the MCP file server, called without the protocol. */
export async function fileSystemServer(allowed: string): Promise<FileSystemServer> {
  const server = await importPeer("@modelcontextprotocol/server-filesystem", "dist/lib.js");
  server.setAllowedDirectories([allowed]);
  return server;
}

/** A tool of pi-coding-agent, called as its agent calls it. Returns the text for the model. */
export async function piTool(
  name: "read" | "write" | "grep",
  workspace: string,
): Promise<(input: object) => Promise<string>> {
  // It looks for ripgrep on the PATH and would otherwise download it.
  process.env.PATH = `${dirname(rgPath)}${delimiter}${process.env.PATH}`;
  const { createTool } = await importPeer("@mariozechner/pi-coding-agent", "dist/core/tools/index.js");
  const tool = createTool(name, workspace);
  return async (input) => {
    const { content } = await tool.execute("bench", input);
    return content[0]?.text ?? "";
  };
}
