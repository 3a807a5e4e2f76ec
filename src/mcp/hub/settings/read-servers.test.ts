import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { policyFiles } from "../../../system/policy-files.ts";
import { writeTrust } from "../../../toolcrib/trust.ts";
import { readProjectServers, readServers } from "./read-servers.ts";

it("reads the user's own servers, and the project's once trusted, until they change", async () => {
  await using place = filesIn();
  place.write(place.own, { mcpServers: { mine: { command: "a" }, both: { command: "own" } } });
  place.write(place.project, {
    mcpServers: { both: { command: "other" }, theirs: { command: "b", trustAnnotations: true } },
  });
  const cwd = place.configDirectory;
  const mine = { mine: { cwd, command: "a" }, both: { cwd, command: "own" } };
  const before = await readServers(place);
  const project = await readProjectServers(place);
  writeTrust({ workspace: place.workspace, hash: project!.hash }, place.trust);
  const trusted = await readServers(place);
  place.write(place.project, { mcpServers: { theirs: { command: "evil" } } });
  expect([before, trusted, await readServers(place)]).toEqual([
    {
      servers: mine,
      warnings: [
        "The MCP servers in .toolcrib/mcp.json are not trusted and not started: both, theirs. To trust them: toolcrib mcp trust",
      ],
    },
    {
      servers: { theirs: { command: "b", trustAnnotations: false }, ...mine },
      warnings: [
        `.toolcrib/mcp.json in ${place.workspace} defines the MCP server both, but the one in your own mcp.json is used.`,
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
  await using place = filesIn();
  const program = join(place.workspace, "tools/server.mjs");
  place.write(program, "one");
  place.write(join(place.workspace, "notes.db"), "data");
  place.write(place.project, {
    mcpServers: { theirs: { command: "node", args: ["--import=tools/server.mjs", "notes.db"], files: {} } },
  });
  const project = await readProjectServers(place);
  writeTrust({ workspace: place.workspace, hash: project!.hash }, place.trust);
  const { servers } = await readServers(place);
  place.write(join(place.workspace, "notes.db"), "more data");
  const still = await readProjectServers(place);
  place.write(program, "two");
  const changed = await readProjectServers(place);
  expect([servers.theirs?.files, still?.trust, changed?.trust]).toEqual([
    { "tools/server.mjs": contentHash("one") },
    "trusted",
    "changed",
  ]);
});

it("starts the user's own servers only in trusted folders, unless configured otherwise", async () => {
  await using place = filesIn();
  const web = { url: "http://localhost:1" };
  place.write(place.own, { mcpServers: { a: { command: "npx" }, b: { command: "npx", cwd: "." }, web } });
  expect((await readServers(place)).servers).toEqual({
    a: { command: "npx", cwd: place.configDirectory },
    b: { command: "npx", cwd: "." },
    web,
  });
});

it("ignores a file that cannot be parsed, and warns", async () => {
  await using place = filesIn();
  place.write(place.own, '{ "key": sk-a-secret }');
  place.write(place.project, { servers: {} });
  const { servers, warnings } = await readServers(place);
  expect(servers).toEqual({});
  expect(warnings).toEqual([
    expect.stringMatching(/mcp\.json is not valid JSON( at line 1 column \d+)?\.$/),
    "`mcpServers` in .toolcrib/mcp.json is missing, or not an object of servers by name.",
  ]);
});

it("does not follow a symlink out of the workspace", async () => {
  await using place = filesIn();
  mkdirSync(dirname(place.project));
  symlinkSync("/etc/hostname", place.project);
  const { servers, warnings } = await readServers(place);
  expect([servers, warnings.length]).toEqual([{}, 1]);
});

it("prints nothing when no server is configured", async () => {
  await using place = filesIn();
  expect(await readServers(place)).toEqual({ servers: {}, warnings: [] });
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
