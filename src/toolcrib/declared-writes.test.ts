import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../test/support/rounds.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { risks, type ToolAccess, type ToolRisk } from "../contract/access.ts";
import type { Environment } from "../contract/environment.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { defineTool, openToolcrib, type PolicyMode, policyModes } from "./index.ts";

const bytes = Buffer.from("new\n");

/** What a tool does with its environment. Each changes only files in the folder of its name, or below `shared`. */
const deeds: Readonly<Record<string, (environment: Environment) => Promise<unknown>>> = {
  write: (environment) => environment.writeFile("write/a.txt", bytes),
  create: (environment) => environment.writeFile("create/deep/new.txt", bytes),
  delete: (environment) => environment.delete("delete/a.txt"),
  deleteAll: (environment) => environment.delete("deleteAll", { recursive: true }),
  move: (environment) => environment.move("move/a.txt", "move/b.txt"),
  change: (environment) =>
    environment.change([
      { path: "change/a.txt", before: contentHash(Buffer.from("old\n")), after: bytes },
      { path: "change/b.txt", before: "nothing", after: bytes },
    ]),
  deleteByChange: (environment) =>
    environment.change([
      { path: "deleteByChange/a.txt", before: contentHash(Buffer.from("old\n")), after: "nothing" },
    ]),
  throughLink: (environment) => environment.writeFile("throughLink/link.txt", bytes),
};

/** The accesses that each deed needs. */
const needed: Readonly<Record<string, readonly ToolAccess[]>> = {
  write: [{ kind: "write", path: "write/a.txt" }],
  create: [{ kind: "write", path: "create/deep/new.txt" }],
  delete: [{ kind: "delete", path: "delete/a.txt" }],
  deleteAll: [{ kind: "delete", path: "deleteAll" }],
  move: [
    { kind: "write", path: "move/a.txt", link: "itself" },
    { kind: "write", path: "move/b.txt", link: "itself" },
  ],
  change: [
    { kind: "write", path: "change/a.txt" },
    { kind: "write", path: "change/b.txt" },
  ],
  deleteByChange: [{ kind: "delete", path: "deleteByChange/a.txt" }],
  throughLink: [{ kind: "write", path: "throughLink/target.txt" }],
};

/** What may be declared instead. None of it allows any of the deeds. */
const others: readonly (readonly ToolAccess[])[] = [
  [{ kind: "read", path: "." }],
  [{ kind: "write", path: "elsewhere.txt" }],
  [{ kind: "network", host: "example.com" }],
  [{ kind: "delete", path: "elsewhere" }],
];

function fill(workspace: string): void {
  for (const name of Object.keys(deeds)) {
    mkdirSync(join(workspace, name));
    writeFileSync(join(workspace, name, "a.txt"), "old\n");
  }
  writeFileSync(join(workspace, "throughLink/target.txt"), "old\n");
  symlinkSync("target.txt", join(workspace, "throughLink/link.txt"));
}

/** The files of a deed's folder, with their contents. */
function filesOf(workspace: string, deed: string): Record<string, string> {
  const names = ["a.txt", "b.txt", "target.txt", "deep/new.txt"];
  return Object.fromEntries(
    names
      .map((name) => join(workspace, deed, name))
      .filter((path) => existsSync(path))
      .map((path) => [path, readFileSync(path, "utf8")]),
  );
}

const declarations = ["nothing", "an empty list", "what it needs", "something else"] as const;

interface RandomTool {
  readonly deed: string;
  readonly risk: ToolRisk;
  readonly declares: (typeof declarations)[number];
  readonly mode: PolicyMode;
  readonly readOnly: boolean;
}

describe("a tool of the program", () => {
  it("changes exactly what it declares, in every mode, and that is asked, recorded and undone", {
    tags: "slow",
  }, async () => {
    const tools = fc.record({
      deed: fc.constantFrom(...Object.keys(deeds)),
      risk: fc.constantFrom(...risks),
      declares: fc.constantFrom(...declarations),
      mode: fc.constantFrom(...policyModes),
      readOnly: fc.boolean(),
    });
    await fc.assert(fc.asyncProperty(tools, fc.constantFrom(...others), check), { numRuns: rounds(40) });
  });

  it("cannot write through a link that leads away from what it declares", async () => {
    await using folder = temporaryFolder();
    const workspace = join(folder.path, "work space");
    mkdirSync(workspace);
    fill(workspace);
    const linking = defineTool({
      name: "relink",
      description: "Write a.txt, which has become a link.",
      risk: "write",
      accesses: () => [{ kind: "write", path: "write/a.txt" }],
      run: async (_, { environment }) => {
        rmSync(join(workspace, "write/a.txt"));
        symlinkSync("../delete/a.txt", join(workspace, "write/a.txt"));
        await environment.writeFile("write/a.txt", bytes);
      },
    });
    await using crib = await openToolcrib({
      workspace,
      stateDirectory: join(folder.path, "state"),
      configDirectory: join(folder.path, "config"),
      mode: "yolo",
      tools: [linking],
    });
    const { error } = await crib.call("relink", {});
    expect([error?.code, readFileSync(join(workspace, "delete/a.txt"), "utf8")]).toEqual(["denied", "old\n"]);
  });
});

async function check({ deed, risk, declares, mode, readOnly }: RandomTool, other: readonly ToolAccess[]) {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  mkdirSync(workspace);
  fill(workspace);
  const declared = {
    nothing: undefined,
    "an empty list": () => [],
    "what it needs": () => needed[deed]!,
    "something else": () => other,
  }[declares];
  const asked: string[] = [];
  await using crib = await openToolcrib({
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    mode,
    readOnly,
    approve: ({ tool }) => {
      asked.push(tool);
      return { allow: true };
    },
    tools: [
      {
        name: "deed",
        description: "Do something.",
        risk,
        ...(declared && { accesses: declared }),
        run: async (_, { environment }) => void (await deeds[deed]!(environment)),
      },
    ],
  });
  const before = filesOf(workspace, deed);
  const { verdict } = await crib.check("deed", {});
  const { callId, error } = await crib.call("deed", {});
  const mayDelete = risk !== "write" || declares === "what it needs" || !deed.startsWith("delete");
  const isAllowed =
    risk !== "read" && declares !== "something else" && mayDelete && (!readOnly || verdict !== "deny");
  const after = filesOf(workspace, deed);
  const hasChanged = JSON.stringify(after) !== JSON.stringify(before);
  const about = JSON.stringify({ deed, risk, declares, mode, readOnly, error });
  expect([about, error === null, hasChanged]).toEqual([about, isAllowed, isAllowed]);
  if (!isAllowed) return;
  expect([about, asked]).toEqual([about, verdict === "ask" ? ["deed"] : []]);
  const { created, changed, removed } = crib.findCall(callId)!.files;
  expect([about, created + changed + removed > 0]).toEqual([about, true]);
  const undone = await crib.undo({ call: callId });
  expect([about, undone.error, filesOf(workspace, deed)]).toEqual([about, null, before]);
}

it.each([
  ["nothing", undefined, 'Give the tool the risk "destructive", or name'],
  ["a write", () => [{ kind: "write", path: "." } as const], "Name"],
])("refuses a deletion by a tool that writes and declares %s", async (_, accesses, hint) => {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  mkdirSync(workspace);
  fill(workspace);
  let deed = "";
  await using crib = await openToolcrib({
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    mode: "yolo",
    tools: [
      {
        name: "tidy",
        description: "Tidy up.",
        risk: "write",
        ...(accesses && { accesses }),
        run: async (_, { environment }) => void (await deeds[deed]!(environment)),
      },
    ],
  });
  for (deed of ["delete", "deleteAll", "deleteByChange"]) {
    const { error } = await crib.call("tidy", {});
    expect([error?.message, error?.hint, filesOf(workspace, deed)]).toEqual([
      expect.stringMatching(/^tidy deletes .* without declaring it$/),
      `${hint} the path in \`accesses\`: { kind: "delete", path }`,
      { [join(workspace, deed, "a.txt")]: "old\n" },
    ]);
  }
  for (deed of ["write", "move", "change"]) expect((await crib.call("tidy", {})).error).toBeNull();
});

describe.each([
  ["rollback", "revert rolls changes back without declaring it"],
  ["undo", "This call does not declare to write the workspace, so it cannot undo"],
] as const)("a %s by a tool of the program", (kind, message) => {
  it.each([
    ["that only reads", "read", undefined, false],
    ["that declares another file", "write", [{ kind: "write", path: "b.txt" }], false],
    ["that declares the workspace", "write", [{ kind: "write", path: "." }], true],
    ["that declares nothing, and may write", "write", undefined, true],
  ] as const)("is held to what it declares: one %s", async (_, risk, accesses, isAllowed) => {
    await using folder = temporaryFolder();
    const workspace = join(folder.path, "work space");
    mkdirSync(workspace);
    await using crib = await openToolcrib({
      workspace,
      stateDirectory: join(folder.path, "state"),
      configDirectory: join(folder.path, "config"),
      mode: "yolo",
      tools: [
        {
          name: "revert",
          description: "Change back.",
          risk,
          ...(accesses && { accesses: () => accesses }),
          run: async (_, { history, transactions }) =>
            void (await (kind === "undo"
              ? history.undo({ kind: "last", count: 1 })
              : transactions.rollback())),
        },
      ],
    });
    await crib.call("transaction_begin", {});
    await crib.call("file_write", { path: "a.txt", content: "kept\n" });
    if (kind === "undo") await crib.call("transaction_commit", {});
    const { error } = await crib.call("revert", {});
    expect([error?.message, existsSync(join(workspace, "a.txt"))]).toEqual(
      isAllowed ? [undefined, false] : [message, true],
    );
  });
});

it("says how to declare an undeclared write", async () => {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  mkdirSync(workspace);
  await using crib = await openToolcrib({
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    mode: "yolo",
    tools: [
      {
        name: "note",
        description: "Write a note.",
        risk: "read",
        run: async (_, { environment }) => environment.writeFile("note.txt", bytes),
      },
    ],
  });
  const { error } = await crib.call("note", {});
  expect([error, existsSync(join(workspace, "note.txt"))]).toEqual([
    {
      code: "denied",
      message: `note changes ${join(workspace, "note.txt")} without declaring it`,
      hint: 'Give the tool the risk "write", and name the path in `accesses`: { kind: "write", path }',
      output: undefined,
    },
    false,
  ]);
});
