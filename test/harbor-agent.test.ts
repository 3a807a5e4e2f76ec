import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { launcher } from "./support/built-program.ts";
import { cliWithModel } from "./support/cli-with-model.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const agent = join(import.meta.dirname, "../examples/harbor/toolcrib_agent.py");

/** Stand-ins for the parts of Harbor that the agent uses: commands are recorded instead of executed. */
const harbor: Readonly<Record<string, string>> = {
  "harbor/agents/installed/base.py": `
def with_prompt_template(run):
    return run

class BaseInstalledAgent:
    def __init__(self, logs_dir, model_name=None, version=None):
        self.logs_dir, self.model_name, self._version = logs_dir, model_name, version
        self.commands = []

    async def exec_as_root(self, environment, command, env=None):
        self.commands.append(["root", command, env])

    async def exec_as_agent(self, environment, command, env=None):
        self.commands.append(["agent", command, env])
`,
  "harbor/environments/base.py": "class BaseEnvironment:\n    pass\n",
  "harbor/models/agent/context.py": "class AgentContext:\n    pass\n",
};

const program = `
import asyncio, json, pathlib, sys
from toolcrib_agent import Toolcrib
from harbor.models.agent.context import AgentContext

task, model, logs = sys.argv[1:]
agent, context = Toolcrib(pathlib.Path(logs), model_name=model, version="1.2.3"), AgentContext()
asyncio.run(agent.install(None))
asyncio.run(agent.run(task, None, context))
agent.populate_context_post_run(context)
print(json.dumps([agent.commands, vars(context)]))
`;

function standIn(
  folder: string,
): (...words: readonly string[]) => [[string, string, object | null][], object] {
  for (const [path, text] of Object.entries({ ...harbor, "program.py": program })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const env = {
    ...process.env,
    PYTHONPATH: [folder, dirname(agent)].join(":"),
    PYTHONDONTWRITEBYTECODE: "1",
    OPENAI_API_KEY: "a key",
    ANTHROPIC_API_KEY: "another key",
  };
  return (...words) =>
    JSON.parse(execFileSync("python3", [join(folder, "program.py"), ...words], { encoding: "utf8", env }));
}

it("compiles", async () => {
  await using folder = temporaryFolder();
  const target = join(folder.path, "compiled.pyc");
  const code = `import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2], doraise=True)`;
  execFileSync("python3", ["-c", code, agent, target]);
});

it("installs the wanted version, and passes only the key of the model's provider", {
  tags: "slow",
}, async () => {
  await using folder = temporaryFolder();
  const [commands, context] = standIn(folder.path)("Do it", "openai/gpt-5", folder.path);
  expect(commands.map(([user, , env]) => [user, env])).toEqual([
    ["root", { DEBIAN_FRONTEND: "noninteractive" }],
    ["agent", null],
    ["agent", { OPENAI_API_KEY: "a key" }],
  ]);
  expect(commands[1]![1]).toContain("npm install --global toolcrib@1.2.3");
  expect(context).toEqual({});
});

it("runs the task as one turn, whatever its text, and reports tokens", { tags: "slow" }, async () => {
  await using fixture = await cliWithModel([{ text: "Done.", usage: { input: 90, cached: 40, output: 7 } }]);
  await using folder = temporaryFolder();
  const run = standIn(folder.path);
  const task = `--help\n$(touch harmed) 'quoted' "; exit 9`;
  const [commands] = run(task, fixture.server.model, folder.path);
  const bin = join(folder.path, "toolcrib");
  writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`, { mode: 0o755 });
  const command = commands.at(-1)![1].replaceAll("/logs/agent", `'${folder.path}'`);
  await promisify(execFile)("bash", ["-c", `set -o pipefail; ${command}`], {
    cwd: fixture.workspace,
    env: { ...fixture.env, PATH: `${folder.path}:${fixture.env.PATH}` },
  });
  const [request] = fixture.server.requests;
  expect(request?.messages.at(-1)?.text).toContain(task);
  expect(readFileSync(join(folder.path, "toolcrib.jsonl"), "utf8")).toContain('"type":"turn-end"');
  const [, context] = run(task, fixture.server.model, folder.path);
  expect(context).toMatchObject({ n_input_tokens: 90, n_cache_tokens: 40, n_output_tokens: 7 });
});
