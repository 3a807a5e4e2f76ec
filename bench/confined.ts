import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxLevel } from "../src/contract/call.ts";
import type { Tool } from "../src/toolcrib/index.ts";
import { dataPath } from "./data/data.ts";
import { openSubject } from "./subject.ts";

/** A small repository with a secret, for commands to run in. */
export const confinedWorkspace: string = dataPath("sandboxed");

export function makeConfinedWorkspace(): void {
  if (existsSync(join(confinedWorkspace, ".git"))) return;
  mkdirSync(confinedWorkspace, { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: confinedWorkspace });
  for (const name of ["package.json", ".env"]) writeFileSync(join(confinedWorkspace, name), "{}\n");
}

/** Opens a Toolcrib that runs every command, in the sandbox of this level and without network. */
export function openConfined(
  level: SandboxLevel,
  { workspace = confinedWorkspace, tools = [] }: { workspace?: string; tools?: readonly Tool[] } = {},
): ReturnType<typeof openSubject> {
  // Without a sandbox every command needs approval, because no rule can allow these in advance.
  const rules = ["allow run **", ...(level === "none" ? ["unconfined run **"] : [])];
  return openSubject({ workspace, sandbox: level, rules, tools, approve: async () => ({ allow: true }) });
}
