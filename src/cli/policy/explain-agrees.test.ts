import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { SandboxLevel } from "../../contract/call.ts";
import type { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { type PolicyMode, policyModes } from "../../policy/policy.ts";
import { realLocation } from "../../system/directories.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { OpenPolicy } from "../../toolcrib/open-policy.ts";
import { explainDecision } from "../../toolcrib/replay-calls.ts";
import { readCall } from "./explain-call.ts";

const codes = { allow: "runs", ask: "asks", deny: "refused" } as const;

/** Rules that tighten, loosen and contradict each other, each set added to those of the file. */
const ruleSets = [
  [],
  ["allow write **", "deny write sub/**"],
  ["ask read **", "allow read sub/**", "open .env"],
  ["secret a.txt", "protected sub/**", "open keys.pem"],
  ["deny use file.delete", "ask use file.write", "ask use shell.run"],
  ["allow run **", "deny run rm", "ask run git add", "deny read sub by shell.run"],
  ["deny connect a.invalid", "allow connect b.invalid", "allow run docker **"],
] as const;

const given = { mode: fc.constantFrom(...policyModes), rules: fc.constantFrom(...ruleSets) };

function pathsIn({ workspace, outside }: Pick<World, "workspace" | "outside">): fc.Arbitrary<string> {
  const name = fc.constantFrom(
    ...["a.txt", "sub", "new", ".env", ".git", "config", "keys.pem", "ca.pem", "..", ".", "in", "out", "up"],
    ...["gone", "loop", "hidden", "secret-link", "rules", ".toolcrib", "node_modules", "denied", "asked"],
    ...["README.md", "~", "*", "secrets", "vault.go", "token", ".env.test.example"],
  );
  const start = fc.constantFrom(
    ...["", "", "", "./", "../", "../../", `${workspace}/`, `${outside}/`, "/", "/etc/", "/proc/self/"],
  );
  return fc
    .tuple(start, fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "", "", "/"))
    .map(([from, names, end]) => `${from}${names.join("/")}${end}`);
}

const tools: Readonly<Record<string, (path: string, other: string) => object>> = {
  "file.read": (path) => ({ path }),
  "file.write": (path) => ({ path, content: "new\n" }),
  "file.delete": (path) => ({ path }),
  "file.list": (path) => ({ path }),
  "file.move": (from, to) => ({ from, to }),
  "search.grep": (path) => ({ pattern: "text", path }),
};

/** Commands of real words about a path. */
const commands: readonly ((path: string) => string)[] = [
  (path) => `cat ${path}`,
  (path) => `ls ${path}`,
  (path) => `rm ${path}`,
  (path) => `echo x > ${path}`,
  (path) => `cat < ${path} | sort`,
  (path) => `cat <<'E' > ${path}\nx\nE`,
  (path) => `git status ${path}`,
  (path) => `git add ${path}`,
  (path) => `sh -c 'cat ${path}'`,
  (path) => `node -e 1 ${path}`,
  (path) => `cat "${path}`,
  (path) => `x=${path}; cat $x`,
  () => "npm --version",
  // The host is known when the command connects, and asked for then.
  (path) => `host=a.invalid; curl -s http://$host/${path}`,
  (path) => `curl -s http://b.invalid/${path}`,
  () => "docker ps",
];

describe("toolcrib policy explain", () => {
  it("says what the call does, for random tools, rules and paths inside, outside and through links, in every mode", {
    tags: "slow",
  }, async () => {
    await using world = await openWorld();
    const path = pathsIn(world);
    const call = fc.record({ ...given, tool: fc.constantFrom(...Object.keys(tools)), path, other: path });
    await fc.assert(
      fc.asyncProperty(call, async ({ mode, rules, tool, path, other }) => {
        const found = await world.compare(mode, rules, tool, tools[tool]!(path, other));
        expect(found.called).toEqual(found.explained);
      }),
      { numRuns: rounds(625) },
    );
  });

  it("says what the call does, for some of these accesses", async () => {
    await using world = await openWorld(["cautious"]);
    const tool = fc.constantFrom("file.read", "file.list", "file.write", "file.delete");
    // New rules take longer than a call, so each set is used for several.
    for (const [index, [name, path]] of fc.sample(fc.tuple(tool, pathsIn(world)), 300).entries()) {
      const found = await world.compare(
        "cautious",
        ruleSets[Math.floor(index / 50)]!,
        name,
        tools[name]!(path, path),
      );
      expect(found.called).toEqual(found.explained);
    }
  });

  it("says what the call does, for random commands", { tags: "slow" }, async () => {
    await using world = await openWorld();
    const one = fc
      .tuple(fc.constantFrom(...commands), pathsIn(world))
      .map(([make, path]) => make(path.replaceAll(" ", "\\ ")));
    const command = fc
      .tuple(one, fc.constantFrom("", "", " && ls", "; cat a.txt", " | head", " || true"))
      .map(([first, more]) => (first.endsWith("\nE") ? first : first + more));
    await fc.assert(
      fc.asyncProperty(fc.record({ ...given, command }), async ({ mode, rules, command }) => {
        const found = await world.compare(mode, rules, "shell.run", { command });
        expect(found.called).toEqual(found.explained);
      }),
      { numRuns: rounds(100) },
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

/** Calls that end so have changed nothing. */
const heldBack: ReadonlySet<string> = new Set([
  "needs-approval",
  "denied",
  "outside-workspace",
  "invalid-input",
]);

const readingTools: ReadonlySet<string> = new Set(["file.read", "file.list", "search.grep"]);

type World = Awaited<ReturnType<typeof openWorld>>;

/** A workspace with links, secrets and rules, open in every mode, and a folder outside. */
async function openWorld(modes: readonly PolicyMode[] = policyModes) {
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
    for (const each of ["sub/config", ".git", "node_modules", "secrets/sub"])
      mkdirSync(join(workspace, each), { recursive: true });
    mkdirSync(outside);
    for (const each of [
      "a.txt",
      ".env",
      "sub/a.txt",
      "sub/.env",
      "keys.pem",
      "denied",
      "asked",
      ".git/config",
      ".env.test.example",
      "secrets/vault.go",
      "secrets/sub/token",
    ])
      writeFileSync(join(workspace, each), "text\n");
    const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    for (const each of ["ca.pem", "sub/ca.pem"]) writeFileSync(join(workspace, each), certificate);
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
      modes.map(async (mode) => [mode, await openToolcrib({ workspace, mode, ...directories })] as const),
    ),
  );
  const environment = openLocalEnvironment({ workspace });
  const policy = await OpenPolicy.open({ workspace, config, state: home });
  const levels = new Map<PolicyMode, SandboxLevel>();
  for (const [mode, instance] of instances) levels.set(mode, (await instance.sandbox()).level);
  const explain = async (mode: PolicyMode, tool: string, input: object) => {
    try {
      const call = await readCall([`${tool} ${JSON.stringify(input)}`]);
      const sandbox = async () => levels.get(mode)!;
      const rules = { policy: policy.current, mode, environment, sandbox };
      return codes[(await explainDecision(call, rules)).verdict];
    } catch (error) {
      return (error as ToolError).code;
    }
  };
  const call = async (mode: PolicyMode, tool: string, input: object) => {
    const { error } = await instances.get(mode)!.call(tool, input);
    const isHeldBack = error !== null && heldBack.has(error.code);
    if (!isHeldBack && !readingTools.has(tool)) build();
    switch (error?.code) {
      case "needs-approval":
        return "asks";
      case "denied":
      case "outside-workspace":
        return "refused";
      case "invalid-input":
        return error.code;
      default:
        return "runs";
    }
  };
  let applied: readonly string[] = ruleSets[0];
  return {
    workspace,
    outside,
    /** What explain and a call say, with the question. */
    compare: async (mode: PolicyMode, rules: readonly string[], tool: string, input: object) => {
      if (rules !== applied) for (const each of [policy, ...instances.values()]) each.setRules(rules);
      applied = rules;
      const question = `${mode} [${rules.join(" | ")}] ${tool} ${JSON.stringify(input)}: `;
      return {
        explained: question + (await explain(mode, tool, input)),
        called: question + (await call(mode, tool, input)),
      };
    },
    [Symbol.asyncDispose]: async () => {
      for (const instance of instances.values()) await instance.close();
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
