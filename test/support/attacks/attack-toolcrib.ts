/**
 * Attacks Toolcrib from within commands, for every way to start a command, and prints the successful attacks as JSON:
 * `node attack-toolcrib.ts LEVEL`. The user who starts it is the victim.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { SandboxReport } from "../../../src/contract/environment.ts";
import type { AnyTool, ToolContext } from "../../../src/contract/tool.ts";
import { type Attack, attacks } from "../../../src/sandbox/proof/attacks.ts";
import { type Lab, openLab } from "../../../src/sandbox/proof/lab.ts";
import { openToolcrib, type SandboxSetting, type Toolcrib } from "../../../src/toolcrib/index.ts";

export interface AttackResults {
  readonly report: SandboxReport;
  /** The successful attacks by way of starting, named by the promise that they break. */
  readonly broken: Readonly<Record<string, readonly string[]>>;
}

/** Runs the file `attack`, and waits for its end. */
type Way = (crib: Toolcrib) => Promise<void>;

const ways: Record<string, Way> = {
  "shell.run": (crib) => call(crib, "shell.run", { command: "bash attack" }),
  "shell.run in a session": (crib) => call(crib, "shell.run", { command: "bash attack", session: "main" }),
  "shell.run in the background": async (crib) => {
    await call(crib, "shell.run", { command: "bash attack", background: true });
    await call(crib, "process.wait", { name: (await crib.processes())[0]!.name });
  },
  "process.start": async (crib) => {
    await call(crib, "process.start", { command: "bash attack", name: "attack" });
    await call(crib, "process.wait", { name: "attack" });
  },
  "process.start on a terminal": async (crib) => {
    await call(crib, "process.start", { command: "bash attack", name: "attack", terminal: true });
    await call(crib, "process.wait", { name: "attack" });
  },
  "transaction.check": async (crib) => {
    await call(crib, "transaction.begin", {});
    await call(crib, "transaction.check", { command: "bash attack" });
    await call(crib, "transaction.commit", {});
  },
  "a tool of somebody else": (crib) => call(crib, "foreign.run", {}),
  "a tool of somebody else that has another risk": (crib) => call(crib, "foreign.network", {}),
};

const foreign = (name: string, risk: AnyTool["risk"]): AnyTool => ({
  name,
  description: "Runs the attack.",
  risk,
  input: z.strictObject({}),
  limits: { maxChars: 1000, keep: "head" },
  accesses: () => (risk === "execute" ? [{ kind: "execute", command: "bash attack" }] : []),
  run: async (_: unknown, { environment, signal }: ToolContext) => {
    const program = await environment.start("bash", { args: ["attack"], signal });
    await program.exit;
    return { data: null, text: "" };
  },
});

const broken: Record<string, readonly string[]> = {};
let report: SandboxReport | undefined;
for (const [name, way] of Object.entries(ways)) {
  await using lab = await openLab();
  const crib = await openToolcrib({
    workspace: lab.workspace,
    stateDirectory: lab.state,
    configDirectory: lab.config,
    sandbox: process.argv[2] as SandboxSetting,
    tools: [foreign("foreign.run", "execute"), foreign("foreign.network", "network")],
    approve: () => ({ allow: true }),
  });
  report = await crib.sandbox();
  writeFileSync(join(lab.workspace, "attack"), allAtOnce(lab));
  await way(crib);
  // Then the shells have ended, too, and their changes are restored.
  await crib.close();
  const succeeded: string[] = [];
  for (const [index, attack] of attacks.entries())
    if (await hasSucceeded(attack, lab, index)) succeeded.push(attack.promise);
  broken[name] = succeeded;
}
process.stdout.write(JSON.stringify({ report, broken } satisfies { report: unknown; broken: unknown }));

/** Each attack has its own shell and its own loot, because one of them ends its attacker. */
function allAtOnce(lab: Lab): string {
  const parts = attacks.map(({ script }, index) => `(\n${script(lab)}\n) > loot.${index} 2>&1`);
  return [`kill -9 ${process.pid}`, ...parts, "true"].join("\n");
}

async function hasSucceeded(attack: Attack, lab: Lab, index: number): Promise<boolean> {
  const loot = readFileSync(join(lab.workspace, `loot.${index}`), "latin1");
  return attack.hasSucceeded(lab, loot);
}

async function call(crib: Toolcrib, tool: string, input: unknown): Promise<void> {
  const { error } = await crib.call(tool, input);
  if (error) throw new Error(`${tool}: ${error.message} ${error.hint}`);
}
