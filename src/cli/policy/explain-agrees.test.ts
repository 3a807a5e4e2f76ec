import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { policyModes } from "../../policy/policy.ts";
import { realLocation } from "../../system/directories.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { OpenPolicy } from "../../toolcrib/open-policy.ts";
import { explainDecision } from "../../toolcrib/replay-calls.ts";
import { readCall } from "./explain-call.ts";

describe("toolcrib policy explain", () => {
  it("says what the call does, for random paths inside, outside and through links, in every mode", {
    tags: "slow",
  }, async () => {
    await using world = await openWorld();
    const name = fc.constantFrom(
      ...[
        "a.txt",
        "sub",
        "new",
        ".env",
        ".git",
        "config",
        "keys.pem",
        "..",
        ".",
        "in",
        "out",
        "up",
        "gone",
        "loop",
      ],
      ...[
        "hidden",
        "secret-link",
        "rules",
        ".toolcrib",
        "node_modules",
        "denied",
        "asked",
        "README.md",
        "~",
        "*",
      ],
    );
    const start = fc.constantFrom(
      "",
      "",
      "",
      "./",
      "../",
      "../../",
      `${world.workspace}/`,
      `${world.outside}/`,
      "/",
      "/etc/",
      "/proc/self/",
    );
    const path = fc
      .tuple(start, fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "", "", "/"))
      .map(([from, names, end]) => `${from}${names.join("/")}${end}`);
    const verb = fc.constantFrom("read", "write", "delete");
    const mode = fc.constantFrom(...policyModes);
    await fc.assert(
      fc.asyncProperty(mode, verb, path, async (mode, verb, path) => {
        const explained = await world.explain(mode, verb, path);
        const called = await world.call(mode, verb, path);
        expect(`${mode} ${verb} ${path}: ${called}`).toBe(`${mode} ${verb} ${path}: ${explained}`);
      }),
      { numRuns: rounds(400) },
    );
  });

  it("exits as the call does outside the workspace, and for a command with a syntax error", {
    tags: "slow",
  }, async () => {
    await using cli = cliWorkspace();
    const calls = [
      ["write ../x", ["file.write", "--path", "../x", "--content", "y"]],
      ["read /etc/hostname", ["file.read", "/etc/hostname"]],
      ["delete ../x --mode safe", ["file.delete", "../x", "--mode", "safe"]],
      ['run echo "unclosed', ["shell.run", 'echo "unclosed']],
      ["run if true; then ls", ["shell.run", "if true; then ls"]],
    ] as const;
    const ends = await Promise.all(
      calls.map(async ([what, words]) => {
        const [first = "", ...more] = what.split(" --");
        const explained = await cli.run(
          "policy",
          "explain",
          first,
          ...more.flatMap((each) => `--${each}`.split(" ")),
        );
        const called = await cli.run("call", ...words);
        return [explained.exit, called.exit, called.stderr.split("\n")[0]];
      }),
    );
    expect(ends).toEqual([
      [3, 3, "../x leads outside the workspace"],
      [3, 3, "/etc/hostname leads outside the workspace"],
      [3, 3, "../x leads outside the workspace"],
      [2, 2, "The command has a syntax error: unexpected EOF while looking for matching `\"'"],
      [2, 2, expect.stringMatching(/^The command has a syntax error: .*unexpected end of file/)],
    ]);
  });
});

/** A workspace with links, secrets and rules, open in every mode, and a folder outside. */
async function openWorld() {
  const folder = temporaryFolder();
  const top = realLocation(folder.path);
  const [workspace, outside, home] = ["work space", "outside", "home"].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  const config = join(home, "config");
  mkdirSync(config, { recursive: true });
  writeFileSync(
    join(config, "rules"),
    "deny write denied\nask write asked\nask read asked\nallow write sub/new\n",
  );
  const build = () => {
    for (const each of [workspace, outside]) rmSync(each, { recursive: true, force: true });
    for (const each of [`${workspace}/sub/config`, `${workspace}/.git`, `${workspace}/node_modules`, outside])
      mkdirSync(each, { recursive: true });
    for (const each of [
      "a.txt",
      ".env",
      "sub/a.txt",
      "sub/.env",
      "keys.pem",
      "denied",
      "asked",
      ".git/config",
    ])
      writeFileSync(join(workspace, each), "text\n");
    for (const each of ["a.txt", "keys.pem"]) writeFileSync(join(outside, each), "text\n");
    const links = [
      ["sub", "in"],
      ["../outside", "out"],
      ["..", "up"],
      ["nowhere", "gone"],
      ["loop", "loop"],
      [".env", "hidden"],
      ["../outside/keys.pem", "secret-link"],
      ["../../outside", "sub/out"],
    ] as const;
    for (const [target, link] of links) symlinkSync(target, join(workspace, link));
  };
  build();
  const directories = { stateDirectory: home, configDirectory: config };
  const instances = new Map(
    await Promise.all(
      policyModes.map(
        async (mode) => [mode, await openToolcrib({ workspace, mode, ...directories })] as const,
      ),
    ),
  );
  const environment = openLocalEnvironment({ workspace });
  const { current: policy } = await OpenPolicy.open({ workspace, config, state: home });
  const codes = { allow: "runs", ask: "asks", deny: "refused" } as const;
  return {
    workspace,
    outside,
    explain: async (mode: (typeof policyModes)[number], verb: string, path: string) => {
      const call = await readCall([verb, path]);
      const sandbox = async () => "none" as const;
      return codes[(await explainDecision(call, { policy, mode, environment, sandbox })).verdict];
    },
    call: async (mode: (typeof policyModes)[number], verb: string, path: string) => {
      const input = { read: { path }, write: { path, content: "new\n" }, delete: { path } }[verb]!;
      const { error } = await instances.get(mode)!.call(`file.${verb}`, input);
      if (verb !== "read") build();
      if (error?.code === "needs-approval") return codes.ask;
      return error?.code === "denied" || error?.code === "outside-workspace" ? codes.deny : codes.allow;
    },
    [Symbol.asyncDispose]: async () => {
      for (const instance of instances.values()) await instance.close();
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
