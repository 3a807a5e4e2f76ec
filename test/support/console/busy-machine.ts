import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createSession } from "../../../src/agent/create-session.ts";
import type { Session } from "../../../src/agent/session.ts";
import type { CallResult } from "../../../src/toolcrib/index.ts";
import type { ScriptedReply } from "../../providers/provider-server.ts";
import { startProvider } from "../../providers/start-provider.ts";
import type { OpenConsole } from "./open-console.ts";

/** What happens on a machine with an agent, an MCP client and commands: real calls, sessions and questions. */
export interface BusyMachine extends AsyncDisposable {
  readonly agent: Session;
  /** The call of the MCP client that waits for an answer. */
  readonly waiting: Promise<CallResult>;
}

const login = `const codes = new Set<string>();

/** Returns a new code. */
export function newCode(): string {
  const code = crypto.randomUUID();
  codes.add(code);
  return code;
}

/** Checks a code. */
export function login(code: string): boolean {
  return codes.has(code);
}

export const limits = {
  attempts: 5,
  body: "1mb",
};
`;

/** Fills a console with the activity of one morning. */
export async function makeBusy(console: OpenConsole): Promise<BusyMachine> {
  const workspace = join(console.folder, "shop");
  writeFiles(workspace, {
    "package.json": '{ "name": "shop", "scripts": { "build": "tsc", "test": "vitest run" } }\n',
    "src/server/login.ts": login,
    "src/server/cart.ts": "export const cart = new Map<string, number>();\n",
    "README.md": "# Shop\n\nA shop.\n",
  });
  for (const words of [
    ["init", "-q"],
    ["add", "."],
    [...author, "commit", "-qm", "Start the shop"],
  ])
    execFileSync("git", words, { cwd: workspace });
  const agent = await runAgent(console, workspace);
  await runCommands(console);
  const claude = await console.open("shop", {
    mode: "safe",
    pendingApprovals: true,
    approvalWaitMs: 600_000,
    client: { kind: "mcp", name: "claude-code", version: "3.1.0" },
    sandbox: "none",
  });
  await claude.call("file.read", { path: "package.json" });
  const edit = { path: "src/server/cart.ts", content: cartWithLimit };
  const waiting = claude.call("shell.run", {
    command: "npm ci && npm run build && npm publish --access public",
  });
  // Questions are shown in the order in which they were asked.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const second = claude.call("file.write", edit);
  return {
    agent: agent.session,
    waiting,
    [Symbol.asyncDispose]: async () => {
      await claude.close();
      await Promise.allSettled([waiting, second]);
      await agent.close();
    },
  };
}

const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
const cartWithLimit =
  "/** Articles and how many of each. */\nexport const cart = new Map<string, number>();\n\nexport const maxArticles = 100;\n";

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Commands of the user in another workspace. */
async function runCommands(console: OpenConsole): Promise<void> {
  const notes = await console.open("release-notes", {
    mode: "yolo",
    client: { kind: "cli" },
    sandbox: "none",
  });
  await notes.call("file.write", { path: "notes.md", content: "# 1.0\n\n- The first release\n" });
  await notes.call("file.write", { path: "notes.md", content: "# 1.0\n\n- The first public release\n" });
  await notes.call("file.read", { path: "missing.md" });
  await notes.call("shell.run", { command: colourfulCommand });
  await notes.call("search.grep", { pattern: "release" });
}

const colourfulCommand =
  "printf '\\033[32m✓\\033[39m login.test.ts \\033[2m(12 tests)\\033[22m\\n\\033[31m✗ refuses a code twice\\033[39m\\n  expected true to be false\\n'; exit 1";

const plan = (...states: readonly string[]) => ({
  name: "plan_update",
  input: {
    steps: ["Find where a code is checked", "Use up the code", "Limit the body to 64 kB"].map(
      (step, index) => ({
        step,
        status: states[index],
      }),
    ),
  },
});
const edit = (find: string, replace: string) => ({
  name: "edit_replace",
  input: { path: "src/server/login.ts", find, replace },
});

/** The replies of the model. */
const replies: readonly ScriptedReply[] = [
  {
    reasoning: "A code is probably checked and never removed.",
    text: "I look for the place where a code is checked.",
    calls: [
      plan("in_progress", "pending", "pending"),
      { name: "search_grep", input: { pattern: "codes\\.has" } },
      { name: "file_read", input: { path: "src/server/login.ts" } },
    ],
    usage: { input: 14_200, output: 310 },
  },
  {
    text: "`login` only looks whether the code **exists**:\n\n```ts\nreturn codes.has(code);\n```\n\nI use it up instead.",
    calls: [
      edit(
        "/** Checks a code. */\nexport function login(code: string): boolean {\n  return codes.has(code);",
        "/** Checks a code, which counts once. */\nexport function login(code: string): boolean {\n  return codes.delete(code);",
      ),
      plan("completed", "completed", "in_progress"),
    ],
    usage: { input: 15_900, output: 540 },
  },
  {
    calls: [edit('body: "1mb",', 'body: "64kb",'), plan("completed", "completed", "completed")],
    usage: { input: 17_100, output: 220 },
  },
  {
    text: "A code now counts once, and a body has at most 64 kB.\n\n1. `login` deletes the code that it accepts.\n2. `limits.body` is `64kb`.",
    usage: { input: 18_000, output: 160 },
  },
  {
    text: "I check it.",
    calls: [{ name: "shell_run", input: { command: "git diff --stat" } }],
    usage: { input: 18_600, output: 90 },
  },
  { text: "One file changed, as intended.", usage: { input: 19_100, output: 60 } },
];

async function runAgent(console: OpenConsole, workspace: string) {
  const server = await startProvider("anthropic", replies, { strict: false });
  const session = await createSession({
    ...{ workspace, stateDirectory: console.directories.state, configDirectory: console.directories.config },
    ...{ model: server.model, models: server.settings, mode: "yolo", sandbox: "none", dialect: "toolcrib" },
    client: { kind: "chat", version: "0.1.0" },
  });
  await session.run("Fix the login: a code must count only once. Also limit the body to 64 kB.").result;
  await session.run("Did anything else change?").result;
  return {
    session,
    close: async () => {
      await session.close();
      await server.close();
    },
  };
}
