import { expect, it } from "vitest";
import {
  type Circumstances,
  decideOn,
  rules,
  testContext,
  verdictOn,
} from "../../test/support/policy/decide.ts";
import type { ToolAccess } from "../contract/access.ts";
import type { SandboxLevel } from "../contract/call.ts";
import { type PolicyMode, policyModes, type RuleSource } from "./policy.ts";

const accesses: Record<string, ToolAccess> = {
  read: { kind: "read", path: "a" },
  write: { kind: "write", path: "a" },
  execute: { kind: "execute", command: "make" },
  network: { kind: "network", host: "example.org" },
  destructive: { kind: "delete", path: "a" },
};

it("allows in each mode exactly what the mode promises", () => {
  const allowed = policyModes.map((mode) => [
    mode,
    Object.keys(accesses).filter((risk) => decideOn([accesses[risk]!], [], { mode }).verdict === "allow"),
  ]);
  expect(Object.fromEntries(allowed)).toEqual({
    safe: ["read"],
    cautious: ["read", "write", "destructive"],
    paranoid: [],
    yolo: ["read", "write", "execute", "network", "destructive"],
  });
});

it("asks in cautious before commands that may write where undo does not cover them", () => {
  const undoLacks = "there are more than 200,000 files and folders";
  const of = (command: string, mode: PolicyMode) =>
    decideOn([{ kind: "execute", command }], [], { mode, sandbox: "bwrap", undoLacks });
  const verdicts = (mode: PolicyMode) =>
    ["npm test", "eval $X", "ls -la"].map((command) => of(command, mode).verdict);
  expect([verdicts("cautious"), verdicts("yolo")]).toEqual([
    ["ask", "ask", "allow"],
    ["allow", "allow", "allow"],
  ]);
  expect(of("npm test", "cautious").decisive.reason).toBe(
    "undo cannot restore what it changes: there are more than 200,000 files and folders",
  );
});

it("runs in plan mode only confined commands that read, in every mode and despite every rule", () => {
  const commands = ["ls", "rg -n x src", "git status", "cat a > b", "make", "rm a", "sed -i s/a/b/ c", "$X"];
  const denied = (circumstances: Circumstances) =>
    commands.filter(
      (command) => verdictOn(command, "allow run **", { isPlanning: true, ...circumstances }) === "deny",
    );
  const changing = commands.slice(3);
  expect(policyModes.map((mode) => denied({ mode }))).toEqual(policyModes.map(() => changing));
  expect(denied({ sandbox: "none" })).toEqual(commands);
  // This sandbox has no read-only view.
  expect(denied({ sandbox: "seatbelt" })).toEqual(commands.slice(1));
  const inShell: ToolAccess = { kind: "execute", command: "ls", session: "main" };
  expect(decideOn([inShell], [], { isPlanning: true }).verdict).toBe("deny");
  const loop = "for f in *.md; do head -2 $f; done";
  const inLoop = (sandbox: SandboxLevel) => verdictOn(loop, "", { isPlanning: true, sandbox, mode: "safe" });
  expect([inLoop("bwrap"), inLoop("seatbelt"), inLoop("none")]).toEqual(["allow", "deny", "deny"]);
});

it("runs in safe without a question only what gets a read-only view, unless the dialect asks", () => {
  const of = (command: string, circumstances: Circumstances = {}, lines = "") =>
    decideOn([{ kind: "execute", command }], lines === "" ? [] : [rules(lines)], {
      mode: "safe",
      sandbox: "bwrap",
      ...circumstances,
    });
  const reading = [
    "ls -la",
    "cat a | wc -l",
    "git status && rg x src",
    "sed -n 1,5p a",
    "cd src && ls 2>/dev/null",
    "for f in src/*.ts; do head -2 $f; done",
    "grep -rni x $(git ls-files)",
    "timeout 5 find . -name '*.ts' | xargs wc -l",
    "awk -F'|' '{print $2}' a",
    "awk '$3 > 10' a",
    "command -v docker",
  ];
  const others = [
    ...["make", "ls; make", "cat a | tee b", "ls $(make)", "sed -i s/a/b/ c", "cat a > b", "$X"],
    ...[
      "find . -exec id ';'",
      "sort -o a b",
      "awk -i inplace '{print}' a",
      "xargs rm",
      "bash",
      'bash -c "$X"',
    ],
  ];
  const paths = ["cat /srv/hosts", "ls ~", "cat a > ../b", "rg x ../*.ts"];
  const isReadOnly = (command: string) =>
    of(command).parts.every(({ part }) => part.kind !== "run" || part.readsOnly);
  expect({
    reading: reading.filter((command) => of(command).verdict !== "allow" || !isReadOnly(command)),
    others: others.filter((command) => of(command).verdict !== "ask" || isReadOnly(command)),
    paths: paths.filter((command) => of(command).verdict !== "ask"),
    refused: [of("cat .env").verdict, of("cat a > .git/hooks/pre-commit").verdict],
    elsewhere: [
      of("ls", { mode: "paranoid" }),
      of("ls", { sandbox: "none" }),
      of("ls", { asksBeforeCommands: true }),
      of("ls", {}, "ask run **"),
      of("ls", {}, "unconfined run ls"),
      of("ls", { asksBeforeCommands: true }, "allow run ls"),
    ].map(({ verdict }) => verdict),
  }).toEqual({
    reading: [],
    others: [],
    paths: [],
    refused: ["deny", "deny"],
    elsewhere: ["ask", "ask", "ask", "ask", "ask", "allow"],
  });
});

it("asks before every command under Landlock where the workspace has a secret, which it cannot hide", () => {
  const of = (command: string, mode: PolicyMode, holdsSecrets: boolean) => {
    const { verdict, record } = decideOn([{ kind: "execute", command }], [], {
      mode,
      sandbox: "landlock",
      holdsSecrets,
    });
    return `${verdict}: ${record.reason}`;
  };
  const why = "the workspace contains secrets, which Landlock cannot hide";
  expect([
    of("ls", "cautious", true),
    of("npm test", "cautious", true),
    of("ls", "safe", true),
    of("ls", "cautious", false),
    of("npm test", "cautious", false),
    of("ls", "safe", false),
    of("npm test", "safe", false),
  ]).toEqual([
    `ask: it would run \`ls\`: ${why}`,
    `ask: it would run \`npm test\`: ${why}`,
    `ask: it would run \`ls\`: ${why}`,
    "allow: it would run `ls`",
    "allow: it would run `npm test`",
    "allow: it would run `ls`",
    "ask: it would run `npm test`",
  ]);
});

it("asks in cautious about what undo cannot restore, and says why, by whatever tool", () => {
  const notCovered = { big: "300 MB are more than is stored for one call" };
  const about = (access: ToolAccess, lines = "") => {
    const { verdict, record } = decideOn([access], lines === "" ? [] : [rules(lines)], { notCovered });
    return `${verdict}: ${record.reason}`;
  };
  const rm = (path: string): ToolAccess => ({ kind: "execute", command: `rm ${path}` });
  const why = "undo cannot restore it: 300 MB are more than is stored for one call";
  expect([
    about({ kind: "delete", path: "a" }),
    about({ kind: "delete", path: "big" }),
    about({ kind: "write", path: "big" }),
    about({ kind: "write", path: "big" }, "allow write big"),
    about({ kind: "delete", path: "a" }, "ask delete **"),
    about(rm("a")),
    about(rm("a"), "allow run rm *"),
    about(rm("big"), "allow run rm *"),
    about(rm("*.log"), "allow run rm **"),
    about(rm("../a"), "allow run rm *"),
  ]).toEqual([
    "allow: it would delete a",
    `ask: it would delete big: ${why}`,
    `ask: it would write big: ${why}`,
    "allow: a rule allows it",
    "ask: a rule asks before this",
    "ask: it would run `rm a`: the workspace contains secrets, which Landlock cannot hide",
    expect.stringMatching(/^allow: /),
    `ask: it would delete big: ${why}`,
    expect.stringMatching(/^ask: /),
    "ask: it would delete ../a: it is outside the workspace",
  ]);
});

it("lets commands in bubblewrap read what they see outside, and nothing more", () => {
  const python = "/home/ada/.pyenv/versions/3/bin/python";
  const circumstances = { realPaths: { "venv/python": python }, seenOutside: [python] };
  const about = (command: string, sandbox: "bwrap" | "landlock", ...more: string[]) =>
    `${decideOn([{ kind: "execute", command }], [rules(more.join("\n"))], { ...circumstances, sandbox }).verdict}`;
  expect([
    about("venv/python -V", "bwrap"),
    about("venv/python -V", "landlock"),
    about("venv/python -V", "bwrap", "deny read ~/.pyenv/**"),
    about("cp a venv/python", "bwrap"),
    about("rm venv/python", "bwrap"),
    about("cat /home/ada/notes", "bwrap"),
  ]).toEqual(["allow", "ask", "deny", "ask", "ask", "ask"]);
});

it("decides by the riskiest part and names it", () => {
  const touched = [accesses.read!, accesses.execute!, accesses.write!];
  const { verdict, risk, record } = decideOn(touched, []);
  expect({ verdict, risk, record }).toEqual({
    verdict: "ask",
    risk: "execute",
    record: {
      verdict: "ask",
      rule: "mode cautious: execute",
      source: "mode cautious",
      reason: "it would run `make`: the workspace contains secrets, which Landlock cannot hide",
    },
  });
});

it("decides a call without named accesses by its tool's risk", () => {
  const record = (risk: "read" | "execute") =>
    decideOn([], [], { mode: "safe", tool: { name: "x", risk } }).record;
  expect(record("read")).toEqual({
    verdict: "allow",
    rule: "mode safe: read",
    source: "mode safe",
    reason: "it would use the tool x",
  });
  expect(record("execute")).toEqual({
    verdict: "ask",
    rule: "mode safe: execute",
    source: "mode safe",
    reason: "it would use the tool x",
  });
});

it("treats every address of this machine as localhost", () => {
  const about = (host: string, line: string) => decideOn([{ kind: "network", host }], [rules(line)]).verdict;
  const hosts = ["localhost", "http://127.0.0.1:8177/", "[::1]:80", "127.1", "10.0.0.1", "example.org"];
  expect([
    hosts.map((host) => about(host, "allow connect localhost")),
    hosts.map((host) => about(host, "deny connect localhost")),
  ]).toEqual([
    ["allow", "allow", "allow", "allow", "ask", "ask"],
    ["deny", "deny", "deny", "deny", "ask", "ask"],
  ]);
});

it("allows servers that commands run, unless a rule or the mode says otherwise", () => {
  const about = (host: string, lines = "", mode: PolicyMode = "cautious") =>
    decideOn([{ kind: "network", host }], [rules(lines)], { mode, reachesOwnServers: true }).verdict;
  const hosts = ["localhost", "http://127.0.0.1:8177/", "[::1]:80", "0.0.0.0", "10.0.0.1", "example.org"];
  expect([
    hosts.map((host) => about(host)),
    about("localhost", "ask connect localhost"),
    about("localhost", "deny connect localhost"),
    about("localhost", "", "safe"),
    about("localhost", "", "paranoid"),
  ]).toEqual([["allow", "allow", "allow", "allow", "ask", "ask"], "ask", "deny", "allow", "ask"]);
});

it("denies cloud metadata unless a rule names it", () => {
  const about = (host: string, lines: string, mode: PolicyMode) =>
    decideOn([{ kind: "network", host }], [rules(lines)], { mode }).verdict;
  const hosts = [
    "169.254.169.254",
    "http://2852039166/",
    "[::ffff:a9fe:a9fe]",
    "[fd00:ec2::254]",
    "100.100.100.200",
  ];
  expect([
    hosts.map((host) => about(host, "", "yolo")),
    hosts.map((host) => about(host, "allow connect *", "cautious")),
    hosts.map((host) => about(host, "allow connect 169.254.*", "cautious")),
    hosts.map((host) => about(host, "allow connect 169.254.169.254", "paranoid")),
    verdictOn("curl http://169.254.169.254/latest/", "allow run curl **"),
  ]).toEqual([
    ["deny", "deny", "deny", "deny", "deny"],
    ["deny", "deny", "deny", "deny", "deny"],
    ["allow", "allow", "allow", "deny", "deny"],
    ["ask", "ask", "ask", "deny", "deny"],
    "deny",
  ]);
});

const verdict = (access: ToolAccess, sources: readonly RuleSource[] = [], given: Circumstances = {}) =>
  decideOn([access], sources, { tool: { name: "file.write", risk: "destructive" }, ...given }).verdict;
const write = (path: string): ToolAccess => ({ kind: "write", path });
const inModes = (access: ToolAccess, sources: readonly RuleSource[]) =>
  Object.fromEntries(policyModes.map((mode) => [mode, verdict(access, sources, { mode })]));

it("applies deny rules in every mode, regardless of allow rules", () => {
  const held = { safe: "deny", cautious: "deny", paranoid: "deny", yolo: "deny" };
  const allowed = rules("allow write a b/c .env .git/config", "session");
  expect([
    inModes(write("a"), [rules("deny write a"), allowed]),
    inModes(write("b/c"), [rules("protected b/**", "project"), allowed]),
    inModes(write(".env"), [allowed]),
    inModes(write(".git/config"), [allowed]),
    inModes({ kind: "read", path: "x" }, [rules("secret x"), rules("allow touch x", "session")]),
  ]).toEqual([held, held, held, held, held]);
});

it("applies allow rules in safe and cautious only, and ask rules everywhere except yolo", () => {
  expect([
    inModes({ kind: "delete", path: "a" }, [rules("allow delete a")]),
    inModes(write("a"), [rules("ask write a")]),
  ]).toEqual([
    { safe: "allow", cautious: "allow", paranoid: "ask", yolo: "allow" },
    { safe: "ask", cautious: "ask", paranoid: "ask", yolo: "allow" },
  ]);
});

it("lets git write its own files as the mode allows, unless the user has a rule for them", () => {
  const byGit = (path: string): ToolAccess => ({ kind: "write", path, by: "git" });
  const held = { safe: "deny", cautious: "deny", paranoid: "deny", yolo: "deny" };
  expect([
    inModes(write(".git/index"), []),
    inModes(byGit(".git/index"), []),
    inModes(byGit(".git/index"), [rules("ask write .git/**")]),
    inModes(byGit(".git/index"), [rules("deny write .git/index")]),
    inModes(byGit(".git/hooks/pre-commit"), []),
    inModes(byGit(".git/config"), []),
  ]).toEqual([
    { safe: "ask", cautious: "ask", paranoid: "ask", yolo: "allow" },
    { safe: "ask", cautious: "allow", paranoid: "ask", yolo: "allow" },
    { safe: "ask", cautious: "ask", paranoid: "ask", yolo: "allow" },
    held,
    held,
    held,
  ]);
});

it("prefers the latest level, then the more specific rule, then the later line", () => {
  expect([
    verdict(write("a/b"), [rules("ask write a/b", "user"), rules("allow write a/*", "command line")]),
    verdict(write("a/b"), [rules("allow write a/*", "command line"), rules("ask write a/b", "user")]),
    verdict(write("a/b"), [rules("ask write a/b\nallow write a/*")]),
    verdict(write("a/b"), [rules("allow write a/*\nask write a/b")]),
    verdict(write("a/b"), [rules("ask write a/*\nallow write */b")]),
    verdict(write("a/b"), [rules("allow write */b\nask write a/*")]),
    verdict(write("a/b"), [rules("ask write a/b*\nallow write a/b")]),
    verdict(write("a/b"), [
      rules("ask write a/**"),
      rules("allow write **", "granted"),
      rules("ask write a/b", "project"),
    ]),
  ]).toEqual(["allow", "allow", "ask", "ask", "allow", "ask", "allow", "allow"]);
});

it("lets an untrusted file tighten the policy, never loosen it", () => {
  const untrusted: RuleSource = {
    ...rules(
      "allow run **\nallow delete **\nopen .env\nask write docs/**\nsecret notes/**\ndeny run ls",
      "project",
    ),
    onlyTightens: true,
  };
  expect([
    decideOn([{ kind: "execute", command: "make" }], [untrusted]).verdict,
    verdict({ kind: "delete", path: "a" }, [untrusted], { mode: "safe" }),
    verdict({ kind: "read", path: ".env" }, [untrusted]),
    verdict(write("docs/a"), [untrusted, rules("allow write docs/**")]),
    verdict({ kind: "read", path: "notes/a" }, [untrusted]),
    decideOn([{ kind: "execute", command: "ls" }], [untrusted, rules("allow run ls")]).verdict,
  ]).toEqual(["ask", "ask", "deny", "ask", "deny", "deny"]);
});

it("limits a rule to the tools it names, and to their server", () => {
  const by = rules("allow delete docs/** by file.*\nallow delete tmp/** by wipe of cleaner");
  const use = rules(
    "deny use delete_* of github\nallow use create_* of github\nallow use note\ndeny use drop_*",
  );
  const call = (name: string, server?: string) =>
    decideOn([], [use], { tool: { name, risk: "execute", ...(server && { server }) } }).verdict;
  const remove = (path: string, name: string, server?: string) =>
    verdict({ kind: "delete", path }, [by], {
      mode: "safe",
      tool: { name, risk: "destructive", ...(server && { server }) },
    });
  expect([
    [remove("docs/a", "file.delete"), remove("docs/a", "edit.patch"), remove("docs/a", "file.delete", "x")],
    [remove("tmp/a", "wipe", "cleaner"), remove("tmp/a", "wipe"), remove("tmp/a", "wipe", "other")],
    [call("delete_repo", "github"), call("delete_repo", "gitlab"), call("delete_repo")],
    [call("create_issue", "github"), call("create_issue"), call("note"), call("note", "anybody")],
    [call("drop_table"), call("drop_table", "anybody")],
  ]).toEqual([
    ["allow", "ask", "ask"],
    ["allow", "ask", "ask"],
    ["deny", "ask", "ask"],
    ["allow", "ask", "allow", "ask"],
    ["deny", "deny"],
  ]);
});

it("asks for a tool by its rule even when everything it touches is allowed", () => {
  const { verdict: decided, record } = decideOn(
    [write("a")],
    [rules('ask use edit.* because "I want to see edits"')],
    {
      tool: { name: "edit.patch", risk: "write" },
    },
  );
  expect([decided, record]).toEqual([
    "ask",
    {
      verdict: "ask",
      rule: 'ask use edit.* because "I want to see edits"',
      source: "rules:1",
      reason: "I want to see edits",
    },
  ]);
});

it("applies a deny rule for writing to deletion, and to everything in a directory", () => {
  const sources = [rules("deny write migrations\ndeny delete logs/**")];
  const accesses: readonly ToolAccess[] = [
    { kind: "read", path: "migrations/1" },
    write("migrations/1"),
    { kind: "delete", path: "migrations" },
    write("logs/a"),
    { kind: "delete", path: "logs/a" },
    { kind: "delete", path: "logs" },
  ];
  expect(accesses.map((access) => verdict(access, sources, { mode: "yolo" }))).toEqual([
    "allow",
    "deny",
    "deny",
    "allow",
    "deny",
    "deny",
  ]);
});

it("checks the spelled and the real path of a symlink, and allows only by the real path", () => {
  const real = (path: string) => ({ realPaths: { link: `/home/ada/work/${path}` } });
  const sources = [rules("deny write migrations/**\nask write docs/**\nallow write out/**\nask write link")];
  const spelled = [rules("allow delete link")];
  expect([
    verdict(write("link"), sources.slice(0, 1), real("migrations/1")),
    verdict({ kind: "read", path: "link" }, [], real(".env")),
    verdict(write("link"), [rules("ask write docs/**")], real("docs/a")),
    verdict(write("link"), sources, real("out/a")),
    verdict({ kind: "delete", path: "link" }, spelled, { ...real("other"), mode: "safe" }),
    verdict({ kind: "delete", path: "link" }, spelled, { ...real("link"), mode: "safe" }),
    decideOn([{ kind: "execute", command: "cat link" }], [rules("allow run cat *")], real(".env")).verdict,
    decideOn([{ kind: "execute", command: "cat link" }], [rules("allow run cat *")], {
      realPaths: { link: "/etc/passwd" },
    }).verdict,
  ]).toEqual(["deny", "deny", "ask", "ask", "ask", "allow", "deny", "ask"]);
});

it("checks the files and hosts of a command as separate parts", () => {
  const reading = "allow run @read\nallow run curl **";
  expect([
    verdictOn("ls > a", reading),
    verdictOn("ls > a", reading, { mode: "safe" }),
    verdictOn("ls > a", `${reading}\nallow write a`, { mode: "safe" }),
    verdictOn("ls > ../a", reading),
    verdictOn("ls > .git/config", reading),
    verdictOn("cat /etc/hosts", reading),
    verdictOn("cat /etc/hosts", `${reading}\nallow read /etc/hosts`),
    verdictOn("curl https://a.example/", reading),
    verdictOn("curl https://a.example/", `${reading}\nallow connect a.example`),
    verdictOn("curl https://a.example/ https://b.example/", `${reading}\nallow connect a.example`),
    verdictOn("curl -o a https://a.example/", `${reading}\nallow connect *.example`),
  ]).toEqual(["allow", "ask", "allow", "ask", "deny", "ask", "allow", "ask", "allow", "ask", "allow"]);
});

it("asks about parts that only the shell can expand, regardless of allow rules", () => {
  const inEvery = (command: string, lines: string) =>
    policyModes.map((mode) => verdictOn(command, lines, { mode }));
  expect([
    inEvery("$X", "allow run **"),
    inEvery("ls `", "allow run **"),
    inEvery("eval $X", "allow run **"),
    inEvery("$X", "allow run **\ndeny run rm"),
  ]).toEqual([
    ["ask", "ask", "ask", "allow"],
    ["ask", "ask", "ask", "allow"],
    ["ask", "ask", "ask", "allow"],
    ["ask", "ask", "ask", "ask"],
  ]);
});

it("asks before removing or replacing a directory that contains denied paths", () => {
  const outcomeOf = (command: string) => verdictOn(command, "deny write migrations/**", { mode: "yolo" });
  const commands = [
    "rm -rf .",
    "rm -rf ../work",
    "mv ../work ../x",
    "rm -rf /",
    "rm -rf .git",
    "mv x .git",
    "cp a .git/hooks",
  ];
  const others = [
    "cp -r x ~/.local",
    "mv x .",
    "cp x .",
    "mkdir .toolcrib",
    "mv migrations x",
    "rm -rf src",
    "mv a src",
  ];
  expect([commands.map(outcomeOf), others.map(outcomeOf)]).toEqual([
    ["deny", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["allow", "allow", "allow", "deny", "deny", "allow", "allow"],
  ]);
});

it("denies deleting all entries of a folder that contains a protected path, in every mode", () => {
  const outcomeOf = (command: string) => {
    const { verdict, decisive } = decideOn([{ kind: "execute", command }], [rules("protected deploy/**")], {
      mode: "yolo",
    });
    return verdict === "deny" ? decisive.rule?.text : verdict;
  };
  const commands = ["rm -rf /", "rm -rf /*", "mv /* /x", "rm -rf ~/*", "rm -rf /var/*", "rm -rf deploy/*"];
  expect(commands.map(outcomeOf)).toEqual([
    "protected /etc/**",
    "protected /etc/**",
    "protected /etc/**",
    `secret ${testContext.own[0]}`,
    "protected /var/lib/**",
    "protected deploy/**",
  ]);
  const others = ["rm *.log", "rm -rf build/*", "rm -rf /dev/shm/*", "rm -rf /tmp/*", "rm ~/*.log", "ls /*"];
  expect(others.map(outcomeOf)).toEqual(others.map(() => "allow"));
});

it("asks before putting a directory in place that may contain paths to ask about", () => {
  const lines = "allow run mv **\nallow run ln **\nask write migrations/old/**";
  const commands = ["mv x .github", "ln -s x sub/.github", "mv x .GitHub", "mv x docs", "mv x migrations"];
  expect(commands.map((command) => verdictOn(command, lines))).toEqual([
    "ask",
    "ask",
    "ask",
    "allow",
    "allow",
  ]);
  const move = [{ kind: "write", path: ".github" }] as const;
  expect(decideOn(move, [], { tool: { name: "file.move", risk: "destructive" } }).decisive).toMatchObject({
    verdict: "ask",
    rule: { text: "ask write **/.github/workflows/**" },
  });
});

it("treats only reads of stored outputs as such, regardless of named files and symlinks", () => {
  const handle = "out_abcdefabcdef";
  const tool = { name: "file.write", risk: "write" } as const;
  const outcomeOf = (kind: "read" | "write", leadsTo: string) =>
    decideOn([{ kind, path: handle }], [rules("ask read **")], { tool, realPaths: { [handle]: leadsTo } })
      .verdict;
  const workflow = `${testContext.workspace}/.github/workflows/ci.yml`;
  const output = `${testContext.own[0]}/workspaces/work/outputs/${handle}`;
  expect([
    outcomeOf("write", workflow),
    outcomeOf("read", workflow),
    outcomeOf("write", output),
    outcomeOf("read", output),
  ]).toEqual(["ask", "ask", "deny", "allow"]);
});

it("finds a denied command inside the listed programs that run others, also elsewhere", () => {
  const outcomeOf = (command: string) => verdictOn(command, "deny run rm -rf **", { mode: "yolo" });
  const denied = [
    "su -c 'rm -rf x'",
    "sudo -u x rm -rf x",
    "docker run i rm -rf x",
    "ssh h rm -rf x",
    "npx toolcrib policy trust --yes",
    "npx toolcrib mcp trust --yes",
    "node node_modules/.bin/toolcrib policy trust",
  ];
  const other = ["chronic rm -rf x", "docker rm -rf x", "npm rm x", "git rm -rf x", "python -c 'print(1)'"];
  expect([denied.map(outcomeOf), other.map(outcomeOf)]).toEqual([
    denied.map(() => "deny"),
    other.map(() => "allow"),
  ]);
});

it("lets no command grant what only the user can grant", () => {
  const commands = ["policy trust", "mcp trust --yes", "mcp install --client zed", "approve 1 --yes"];
  const outcomeOf = commands.map((words) => verdictOn(`toolcrib ${words}`, "allow run **", { mode: "yolo" }));
  expect(outcomeOf).toEqual(commands.map(() => "deny"));
});

it("names the strictest part, its rule, the rule's origin and the exact command segment", () => {
  const command = "git status && (cd src; cat ../.env) | wc -l";
  const { decisive } = decideOn([{ kind: "execute", command }], [rules("allow run @read")]);
  const { part, ...decided } = decisive;
  const segment = "in" in part && part.in ? command.slice(part.in.span.start, part.in.span.end) : undefined;
  expect([decided, segment]).toEqual([
    {
      verdict: "deny",
      risk: "read",
      rule: { level: "built-in", name: "built-in", line: 2, text: "secret .env" },
      reason: "it is secret and cannot be read",
    },
    "../.env",
  ]);
});

it("lets a rule about a shell leave its script open, as rules about other interpreters do", () => {
  const verdict = (command: string) => verdictOn(command, "allow run bash **", { mode: "safe" });
  expect(["bash tests/a.sh", "bash -x tests/a.sh b", "bash -c 'rm x'", "bash"].map(verdict)).toEqual([
    "allow",
    "allow",
    "ask",
    "ask",
  ]);
});

it("runs what the sandbox holds without a question in cautious, and asks before the rest", () => {
  const verdict = (command: string) => verdictOn(command, "", { mode: "cautious", sandbox: "bwrap" });
  const runs = [
    ...["npm test", "rm -rf dist $X", "eval $X", "cat .e*", "curl -s $URL", "curl -s localhost:3000"],
    ...["command -v docker", "docker --version", "gh --version", "git branch -d x", "git branch -f x y"],
    ...["mvn -B clean verify", "npm -w packages/a test"],
  ];
  const asks = [
    "docker ps",
    "/usr/bin/kubectl get pods",
    "git -C sub push",
    "npm --silent publish",
    "env gh pr create",
    "git stash drop",
    "git branch -D x",
    "git branch -df x",
    "git branch -fd x",
    "git branch --force -d x",
    "git branch --del x --forc",
    "mvn -B clean deploy",
    "npm -w packages/a publish",
    "command docker ps",
    "docker --version x",
    "git clean -fdx",
    "python3 ~/tool.py",
    "node x.js --out ../y",
    "echo x > .envrc",
    "curl https://example.com",
  ];
  expect(runs.filter((command) => verdict(command) !== "allow")).toEqual([]);
  expect(asks.filter((command) => verdict(command) !== "ask")).toEqual([]);
});
