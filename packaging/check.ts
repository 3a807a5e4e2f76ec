import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./stage.ts";

/** Makes a call with a binary, without Node on the PATH and in an empty home directory. Throws if it fails. */
export function checkBinary(binary: string, folder: string): void {
  const { home, workspace, env } = newUser(folder);
  const { error, stdout, stderr } = spawnSync(binary, ["call", "file.read", "--path", "a.txt", "--json"], {
    cwd: workspace,
    env,
    encoding: "utf8",
  });
  if (error !== undefined) throw new Error(`The binary does not start: ${error.message}`);
  if (!stdout.startsWith("{") || JSON.parse(stdout).isError !== false)
    throw new Error(`The binary does not work in ${home}: ${stdout}${stderr}`);
}

/** Installs a bundle as a client does, starts its server and lists its tools. Throws if that fails. */
export function checkBundle(bundle: string, folder: string): void {
  const { home, workspace, env } = newUser(folder);
  const installed = join(home, "installed");
  mkdirSync(installed);
  run("python3", ["-m", "zipfile", "-e", bundle, installed], folder);
  const { server } = JSON.parse(readFileSync(join(installed, "manifest.json"), "utf8"));
  const chosen: Readonly<Record<string, string>> = {
    __dirname: installed,
    "user_config.workspace": workspace,
    "user_config.mode": "cautious",
  };
  const args = server.mcp_config.args.map((word: string) =>
    word.replace(/\$\{([^}]*)\}/g, (whole, name) => chosen[name] ?? whole),
  );
  const request = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });
  const messages = [
    request(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "check", version: "1" },
    }),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    request(2, "tools/list", {}),
  ];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: workspace,
    env,
    encoding: "utf8",
    input: messages.map((message) => `${JSON.stringify(message)}\n`).join(""),
  });
  if (!stdout.includes('"name":"file_read"')) throw new Error(`The bundle does not work: ${stdout}${stderr}`);
}

function newUser(folder: string) {
  const [home, workspace] = [join(folder, "a new home"), join(folder, "a new home/workspace")];
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "hello\n");
  return { home, workspace, env: { HOME: home, PATH: "/usr/bin:/bin" } };
}
