import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openToolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A workspace next to a canary, with a symlink that points outside. */
async function openFixture(options: ToolcribOptions) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(join(folder.path, "outside"));
  mkdirSync(workspace);
  writeFileSync(join(folder.path, "outside", "canary.txt"), "canary\n");
  symlinkSync("../outside", join(workspace, "link"));
  const crib = await openToolcrib({
    mode: "yolo",
    ...options,
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  return {
    crib,
    folder: folder.path,
    at: (path: string) => join(workspace, path),
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

type Call = readonly [tool: string, input: Record<string, unknown>];

/** Every argument with which a dialect takes the name of a file or a folder. */
const waysOut: readonly (readonly [dialect: string, calls: (path: string) => readonly Call[]])[] = [
  [
    "agent-loop",
    (path) => [
      ["read", { path: "canary.txt", cwd: path }],
      ["read", { path: `${path}/canary.txt`, cwd: "." }],
      ["write", { path: "canary.txt", cwd: path, content: "x" }],
      ["edit", { path: "canary.txt", cwd: path, old_text: "canary", new_text: "x" }],
      ["grep", { pattern: "canary", path: ".", cwd: path }],
      ["find", { pattern: "canary*", path: ".", cwd: path }],
      ["ls", { cwd: path }],
    ],
  ],
  [
    "codex",
    (path) => [
      ["exec_command", { cmd: "cat canary.txt; echo x > canary.txt", workdir: path }],
      ["view_image", { path: `${path}/canary.txt` }],
      ["apply_patch", { input: `*** Begin Patch\n*** Delete File: ${path}/canary.txt\n*** End Patch` }],
    ],
  ],
  [
    "claude-code",
    (path) => [
      ["Read", { file_path: `${path}/canary.txt` }],
      ["Write", { file_path: `${path}/canary.txt`, content: "x" }],
      ["Edit", { file_path: `${path}/canary.txt`, old_string: "canary", new_string: "x" }],
      ["Grep", { pattern: "canary", path, output_mode: "content" }],
      ["Glob", { pattern: "canary*", path }],
    ],
  ],
  [
    "gemini-cli",
    (path) => [
      ["read_file", { file_path: `${path}/canary.txt` }],
      ["read_many_files", { include: [`${path}/`] }],
      ["list_directory", { dir_path: path }],
      ["glob", { pattern: "canary*", dir_path: path }],
      ["grep_search", { pattern: "canary", dir_path: path }],
      ["run_shell_command", { command: "cat canary.txt", dir_path: path }],
      ["run_shell_command", { command: "cat canary.txt", dir_path: path, is_background: true, delay_ms: 50 }],
    ],
  ],
  [
    "anthropic-native",
    (path) => [
      ["str_replace_based_edit_tool", { command: "view", path: `${path}/canary.txt` }],
      ["str_replace_based_edit_tool", { command: "create", path: `${path}/canary.txt`, file_text: "x" }],
      [
        "str_replace_based_edit_tool",
        { command: "insert", path: `${path}/canary.txt`, insert_line: 1, insert_text: "x" },
      ],
    ],
  ],
];

it.each(waysOut)("cannot leave the workspace with any path that %s accepts", async (dialect, calls) => {
  await using fixture = await openFixture({ dialect });
  for (const path of ["../outside", "link", join(fixture.folder, "outside"), "nowhere/../../outside"])
    for (const [tool, input] of calls(path)) {
      const { isError, content } = await fixture.crib.call(tool, input);
      expect([tool, input, isError, /^canary$/m.test(content)]).toEqual([tool, input, true, false]);
    }
  expect(readFileSync(join(fixture.folder, "outside", "canary.txt"), "utf8")).toBe("canary\n");
});

it.each([
  ["codex", "exec_command", { cmd: "echo out > canary", sandbox_permissions: "require_escalated" }],
  ["codex", "exec_command", { cmd: "echo out > canary", sandbox_permissions: "with_additional_permissions" }],
  ["claude-code", "Bash", { command: "echo out > canary", dangerouslyDisableSandbox: true }],
])("does not run a command of %s outside the sandbox on its own request", async (dialect, tool, input) => {
  await using fixture = await openFixture({ dialect });
  const { error } = await fixture.crib.call(tool, input);
  expect([error?.code, existsSync(fixture.at("canary"))]).toEqual(["denied", false]);
});

it.each([
  ["tools_call", { name: "file_write", arguments: { path: "canary", content: "x" } }],
  ["tools.call", { name: "file.write", arguments: { path: "canary", content: "x" } }],
  [
    "tools_call",
    {
      name: "tools_call",
      arguments: { name: "file_write", arguments: { path: "canary", content: "x" } },
    },
  ],
  ["file.write", { path: "canary", content: "x" }],
])("cannot bypass tool restrictions with %s %j", async (tool, input) => {
  for (const options of [
    { onlyTools: ["file.read", "tools.call", "tools.find"] },
    { readOnly: true },
    { rules: ["deny use file.write"] },
  ]) {
    await using fixture = await openFixture(options);
    const { isError } = await fixture.crib.call(tool, input);
    expect([isError, existsSync(fixture.at("canary"))]).toEqual([true, false]);
  }
});

it("changes the same bytes in every dialect", async () => {
  const edits: readonly (readonly [
    dialect: string,
    tool: string,
    fields: readonly string[],
    more?: object,
  ])[] = [
    ["anthropic", "edit_file", ["file_path", "old_string", "new_string"]],
    ["claude-code", "Edit", ["file_path", "old_string", "new_string"]],
    ["gemini-cli", "replace", ["file_path", "old_string", "new_string"], { instruction: "x" }],
    ["agent-loop", "edit", ["path", "old_text", "new_text"]],
    ["surgical", "patch_file", ["path", "old_text", "new_text"]],
    ["omega", "edit", ["file_path", "old_string", "new_string"]],
  ];
  const before = Buffer.from("\ufeffone $1\r\ntwo é\r\nthree", "utf8");
  for (const [dialect, tool, [path = "", old = "", fresh = ""], more] of edits) {
    await using fixture = await openFixture({ dialect });
    writeFileSync(fixture.at("file"), before);
    await fixture.crib.call(tool, { [path]: "file", [old]: "two é", [fresh]: "$& é 😀", ...more });
    expect([dialect, readFileSync(fixture.at("file"), "utf8")]).toEqual([
      dialect,
      "\ufeffone $1\r\n$& é 😀\r\nthree",
    ]);
  }
});
