import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { policyFiles } from "../../../system/policy-files.ts";
import { writeTrust } from "../../../toolcrib/trust.ts";
import { readProjectServers, readServers } from "./read-servers.ts";

it("reads the user's own servers, and the project's once trusted, until they change", async () => {
  await using folders = filesIn();
  folders.write(folders.own, { mcpServers: { mine: { command: "a" }, both: { command: "own" } } });
  folders.write(folders.project, {
    mcpServers: { both: { command: "other" }, theirs: { command: "b", trustAnnotations: true } },
  });
  const cwd = folders.configDirectory;
  const mine = { mine: { cwd, command: "a" }, both: { cwd, command: "own" } };
  const before = await readServers(folders);
  const project = await readProjectServers(folders);
  writeTrust({ workspace: folders.workspace, hash: project!.hash }, folders.trust);
  const trusted = await readServers(folders);
  expect(await readServers({ ...folders, ofProject: false })).toEqual({ servers: mine, warnings: [] });
  folders.write(folders.project, { mcpServers: { theirs: { command: "evil" } } });
  expect([before, trusted, await readServers(folders)]).toEqual([
    {
      servers: mine,
      warnings: [
        "The MCP servers in .toolcrib/mcp.json are not trusted and not started: both, theirs. To trust them: toolcrib mcp trust",
      ],
    },
    {
      servers: { theirs: { command: "b", trustAnnotations: false }, ...mine },
      warnings: [
        `.toolcrib/mcp.json in ${folders.workspace} defines the MCP server both, but the one in your own mcp.json is used.`,
      ],
    },
    {
      servers: mine,
      warnings: [
        ".toolcrib/mcp.json, or a program that it names, has changed since you trusted it; its MCP servers are not started: theirs. To trust them: toolcrib mcp trust",
      ],
    },
  ]);
});

it("trusts a project's servers until a program that they name has changed", async () => {
  await using folders = filesIn();
  const program = join(folders.workspace, "tools/server.mjs");
  folders.write(program, "one");
  folders.write(join(folders.workspace, "notes.db"), "data");
  folders.write(folders.project, {
    mcpServers: { theirs: { command: "node", args: ["--import=tools/server.mjs", "notes.db"], files: {} } },
  });
  const project = await readProjectServers(folders);
  writeTrust({ workspace: folders.workspace, hash: project!.hash }, folders.trust);
  const { servers } = await readServers(folders);
  folders.write(join(folders.workspace, "notes.db"), "more data");
  const still = await readProjectServers(folders);
  folders.write(program, "two");
  const changed = await readProjectServers(folders);
  expect([servers.theirs?.files, still?.trust, changed?.trust]).toEqual([
    { "tools/server.mjs": contentHash("one") },
    "trusted",
    "changed",
  ]);
});

it("starts the user's own servers only in trusted folders, unless configured otherwise", async () => {
  await using folders = filesIn();
  const web = { url: "http://localhost:1" };
  folders.write(folders.own, { mcpServers: { a: { command: "npx" }, b: { command: "npx", cwd: "." }, web } });
  expect((await readServers(folders)).servers).toEqual({
    a: { command: "npx", cwd: folders.configDirectory },
    b: { command: "npx", cwd: "." },
    web,
  });
});

it("refuses a file that cannot be parsed, with the line and without its text", async () => {
  await using folders = filesIn();
  const refusal = () =>
    readServers(folders).then(
      () => "none",
      ({ message }) => message.replace(`${folders.configDirectory}/`, ""),
    );
  folders.write(folders.own, '{\n "key": sk-a-secret }');
  const own = await refusal();
  folders.write(folders.own, { mcpServers: {} });
  folders.write(folders.project, { servers: {} });
  expect([own, await refusal()]).toEqual([
    'mcp.json is not valid JSON: expected a value at line 2, column 9, found "s"',
    ".toolcrib/mcp.json:1: mcpServers is missing",
  ]);
});

it.each([
  ['"tools": "get_*"', "mcpServers.git.tools must be a list"],
  ['"disabled": "yes"', "mcpServers.git.disabled must be true or false"],
  ['"enabled": false', "unknown field git.enabled; did you mean disabled?"],
  ['"includeTools": ["log"]', "unknown field git.includeTools; did you mean tools?"],
  ['"trustAnotations": false', "unknown field git.trustAnotations; did you mean trustAnnotations?"],
])("refuses %s, which was meant to restrict a server", async (field, message) => {
  await using folders = filesIn();
  folders.write(folders.own, `{"mcpServers": {\n"git": {\n"command": "git-server",\n${field}}}}`);
  await expect(readServers(folders)).rejects.toMatchObject({ message: `${folders.own}:4: ${message}` });
});

it("leaves fields of other programs alone", async () => {
  await using folders = filesIn();
  const git = {
    command: "a",
    timeout: 60,
    autoApprove: ["x"],
    alwaysAllow: [],
    description: "x",
    transport: "stdio",
    enabled: true,
  };
  folders.write(folders.own, { mcpServers: { git }, inputs: [] });
  expect((await readServers(folders)).servers).toEqual({ git: { cwd: folders.configDirectory, ...git } });
});

it("does not follow a symlink out of the workspace", async () => {
  await using folders = filesIn();
  mkdirSync(dirname(folders.project));
  symlinkSync("/etc/hostname", folders.project);
  await expect(readServers(folders)).rejects.toMatchObject({ code: "outside-workspace" });
});

it("prints nothing when no server is configured", async () => {
  await using folders = filesIn();
  expect(await readServers(folders)).toEqual({ servers: {}, warnings: [] });
});

function filesIn() {
  const folder = temporaryFolder();
  const [workspace, configDirectory] = [join(folder.path, "work space"), join(folder.path, "config")];
  mkdirSync(workspace);
  const files = policyFiles(configDirectory, workspace);
  return {
    workspace,
    configDirectory,
    own: files.servers,
    trust: files.serversTrust,
    project: join(workspace, ".toolcrib/mcp.json"),
    write: (path: string, content: unknown) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
