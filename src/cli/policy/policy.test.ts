import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { openToolcrib } from "../../toolcrib/index.ts";

describe("toolcrib policy explain", () => {
  it("shows verdict, rule, file, line and the segment of a command", { tags: "slow" }, async () => {
    await using cli = cliWorkspace();
    cli.write(cli.userRules, "allow run git status\n\ndeny run rm -rf **\n");
    const words = ["policy", "explain", "run git status && rm -rf build"];
    const [shown, json] = await Promise.all([cli.run(...words), cli.run(...words, "--json")]);
    expect(shown).toEqual({
      exit: 3,
      stdout: `deny: it would run \`rm -rf build\`: a rule denies it
by deny run rm -rf ** (${cli.userRules}:3)

  | git status && rm -rf build
  |               ^^^^^^^^^^^^

  allow  run     git status    allow run git status (${cli.userRules}:1)
  deny   run     rm -rf build  deny run rm -rf ** (${cli.userRules}:3)
  allow  delete  build         mode cautious allows deleting what undo restores
`,
      stderr: "",
    });
    const origin = { level: "user", name: cli.userRules };
    expect([json.exit, JSON.parse(json.stdout)]).toEqual([
      3,
      {
        verdict: "deny",
        risk: "destructive",
        reason: "a rule denies it",
        rule: "deny run rm -rf **",
        source: `${cli.userRules}:3`,
        parts: [
          {
            verdict: "allow",
            kind: "use",
            what: "shell.run",
            risk: "read",
            reason: "its paths and hosts are checked",
            rule: null,
            segment: null,
          },
          {
            verdict: "allow",
            kind: "run",
            what: "git status",
            risk: "execute",
            reason: "a rule allows it",
            rule: { ...origin, line: 1, text: "allow run git status" },
            segment: { text: "git status", start: 0, end: 10 },
          },
          {
            verdict: "deny",
            kind: "run",
            what: "rm -rf build",
            risk: "destructive",
            reason: "a rule denies it",
            rule: { ...origin, line: 3, text: "deny run rm -rf **" },
            segment: { text: "rm -rf build", start: 14, end: 26 },
          },
          {
            verdict: "allow",
            kind: "delete",
            what: "build",
            risk: "destructive",
            reason: "mode cautious allows deleting what undo restores",
            rule: null,
            segment: { text: "build", start: 21, end: 26 },
          },
        ],
        confinement: null,
      },
    ]);
  });

  it("accepts paths, hosts and tool calls, and returns the verdict as its exit code", {
    tags: "slow",
  }, async () => {
    await using cli = cliWorkspace();
    const calls = [
      ["read .env"],
      ["read README.md"],
      ["write a.txt"],
      ["write a.txt", "--mode", "safe"],
      ["delete a.txt"],
      ["connect example.com"],
      ["connect", "example.com", "--rule", "allow connect *.example.com example.com"],
      ["run", "npm", "test", "--watch", "--rule", "allow run npm test **", "--sandbox", "bwrap"],
      ["run", "npm", "test", "--watch", "--rule", "allow run npm test **", "--sandbox", "none"],
      ["file.delete", "--path", "a.txt"],
      ['file_delete {"path": "a.txt"}', "--mode", "yolo"],
      ["edit.patch", '{"patch": "*** Begin Patch\\n*** Delete File: .env\\n*** End Patch"}'],
      ['file.read {"path":"a"}'],
      [`file.delete --path 'a b.txt' --recursive`, "--rule", 'deny delete "a b.txt"'],
      ["use file.read"],
      ["use delete_x of github", "--rule", "deny use delete_* of github"],
      ["use", "delete_x", "--rule", "deny use delete_* of github"],
    ];
    const ends = await Promise.all(calls.map((words) => cli.run("policy", "explain", ...words)));
    expect(ends.map(({ exit }) => exit)).toEqual([3, 0, 0, 4, 0, 4, 0, 0, 4, 0, 0, 3, 0, 3, 0, 3, 4]);
  });

  it("shows the sandbox, variables and network of a call's commands", async () => {
    await using cli = cliWorkspace();
    const lines = ["allow run make", "allow connect *.example.com", "pass AWS_*", "limit memory 8GB"];
    cli.write(cli.userRules, `${lines.join("\n")}\n`);
    cli.write(".toolcrib/rules", "limit memory 4GB\nlimit cpu 1h\n");
    const explain = async (...words: readonly string[]) =>
      (await cli.run("policy", "explain", ...words)).stdout.split("\n\n").at(-1);
    const json = await cli.run("policy", "explain", "run make", "--sandbox", "landlock", "--json");
    expect([
      await explain("run make", "--sandbox", "bwrap"),
      await explain("run make", "--sandbox", "none"),
      await explain("run make", "--sandbox", "bwrap", "--rule", "unconfined run make"),
      await explain("read a.txt", "--sandbox", "bwrap"),
      await explain("run ls", "--sandbox", "bwrap", "--mode", "safe"),
      JSON.parse(json.stdout).confinement,
    ]).toEqual([
      expect.stringMatching(
        /^ {2}sandbox {4}bwrap\n {2}hosts {6}\*\.example\.com; others ask when the command connects\n {2}hidden {5}paths of \d+ rules\n {2}variables {2}most, AWS_\*\n {2}limits {5}memory 4GB, cpu 1h\n$/,
      ),
      "  sandbox    none\n  variables  most, AWS_*\n  limits     memory 4GB, cpu 1h\n",
      "  sandbox    none, by an `unconfined` rule\n  variables  most, AWS_*\n  limits     memory 4GB, cpu 1h\n",
      "  allow  read  a.txt  mode cautious allows reading\n",
      expect.stringContaining("\n  workspace  read-only, because the command only reads\n"),
      {
        sandbox: "landlock",
        unconfined: false,
        readsOnly: false,
        hosts: ["*.example.com"],
        readable: [],
        writable: [],
        hidingRules: expect.any(Number),
        variables: { base: "most", extra: ["AWS_*"] },
        limits: ["memory 4GB", "cpu 1h"],
      },
    ]);
  });

  it("shows the outside paths they could access, and the effective limits", async () => {
    await using cli = cliWorkspace();
    cli.write(".toolcrib/rules", "limit memory 900000GB\nlimit cpu 1h\n");
    const rules = ["allow read ../lib/**", "allow write ../out/**"].flatMap((rule) => ["--rule", rule]);
    const words = ["policy", "explain", "run make", "--sandbox", "bwrap", ...rules];
    const { stdout } = await cli.run(...words);
    const { confinement } = JSON.parse((await cli.run(...words, "--json")).stdout);
    const [lib, out] = ["lib", "out"].map((name) => join(dirname(cli.workspace), name));
    expect([
      stdout.split("\n").filter((line) => /^ {2}(?:read|writ)able/.test(line)),
      [confinement.readable, confinement.writable],
      confinement.limits,
    ]).toEqual([
      [`  readable   ${lib}`, `  writable   ${out}`],
      [[lib], [out]],
      [expect.stringMatching(/^memory (?!900000GB)\d+[KMGT]?B?$/), "cpu 1h"],
    ]);
  });

  it("refuses an unknown sandbox", async () => {
    await using cli = cliWorkspace();
    const { exit, stderr } = await cli.run("policy", "explain", "run ls", "--sandbox", "chroot");
    expect([exit, stderr]).toEqual([2, expect.stringContaining("auto, bwrap, landlock, seatbelt, none")]);
  });

  it("resolves links", async () => {
    await using cli = cliWorkspace();
    cli.write(".env", "KEY=1\n");
    symlinkSync(".env", join(cli.workspace, "harmless.txt"));
    expect((await cli.run("policy", "explain", "read harmless.txt")).stdout).toMatch(
      /^deny: it would read harmless.txt: it is secret and cannot be read\nby secret .*\(built-in\)\n/,
    );
  });

  it("reports lines that have no effect because they are not trusted", async () => {
    await using cli = cliWorkspace();
    cli.write(".toolcrib/rules", "allow run make\ndeny run rm **\nopen .env\n");
    const { exit, stderr } = await cli.run("policy", "explain", "run make", "--mode", "safe");
    expect([exit, stderr]).toEqual([
      4,
      "Ignored because the rules of this folder are not trusted: .toolcrib/rules:1, .toolcrib/rules:3. " +
        "See: toolcrib policy show\n",
    ]);
  });

  it("explains missing and wrong arguments", async () => {
    await using cli = cliWorkspace();
    const ends = await Promise.all([
      cli.run("policy"),
      cli.run("policy", "explian", "x"),
      cli.run("policy", "explain"),
      cli.run("policy", "explain", "run"),
      cli.run("policy", "explain", "file.raed", "{}"),
      cli.run("policy", "explain", "file.read", "{}"),
      cli.run("policy", "explain", "constructor x"),
      cli.run("policy", "explain", "edit src/a b.ts"),
      cli.run("policy", "explain", "use"),
      cli.run("policy", "explain", "use a b"),
    ]);
    const example = "For example: toolcrib policy explain 'run git status | sh'\n";
    expect(ends.map(({ exit, stderr }) => [exit, stderr])).toEqual([
      [
        2,
        "A subcommand is missing: show, explain, test, replay, trust, untrust\nSee: toolcrib help policy\n",
      ],
      [2, "Unknown subcommand: toolcrib policy explian\nDid you mean `toolcrib policy explain`?\n"],
      [2, `The call to explain is missing\n${example}`],
      [2, `The call to explain is missing\n${example}`],
      [2, 'Unknown tool "file.raed"\nDid you mean file.read?\n'],
      [2, expect.stringMatching(/^file.read: give either `path` or `paths`\nIt takes: path, .*\n$/)],
      [2, expect.stringMatching(/^Unknown tool "constructor"\nTo explain a command: /)],
      [2, "Unknown tool \"edit\"\nDid you mean: toolcrib policy explain 'write src/a b.ts'\n"],
      [2, `The call to explain is missing\n${example}`],
      [2, '"use a b" does not name a tool\nWrite: use TOOL, or use TOOL of SERVER\n'],
    ]);
  });
});

describe("toolcrib policy show", () => {
  it("lists every rule with its level and location, and why some have no effect", async () => {
    await using cli = cliWorkspace();
    cli.write(cli.userRules, "# mine\nallow run ls\nlimit cpu 1h\n");
    cli.write(".toolcrib/rules", "deny run rm **\nallow run make\nvariables none\npass CI\n");
    const more = join(cli.home, "more rules");
    cli.write(more, "ask run cat **\n");
    const words = [
      "policy",
      "show",
      "--rule",
      "deny connect **",
      "--rule-file",
      more,
      "--rule",
      "allow run pwd",
    ];
    const shown = await cli.run(...words);
    const json = await cli.run(...words, "--json");
    await cli.run("policy", "trust", "--yes");
    const trusted = await cli.run(...words);
    const own = shown.stdout.slice(shown.stdout.indexOf("\nuser: "));
    expect(own).toBe(`
user: ${cli.userRules}
    2  allow run ls
    3  limit cpu 1h

project: .toolcrib/rules
    1  deny run rm **
    2  allow run make   (ignored: the file is not trusted; see toolcrib policy trust)
    3  variables none
    4  pass CI   (ignored: the file is not trusted; see toolcrib policy trust)

command line: ${more}
    1  ask run cat **

command line: --rule
    1  deny connect **
    2  allow run pwd
`);
    expect(trusted.stdout.slice(trusted.stdout.indexOf("\nuser: "))).toBe(
      own.replaceAll(/ {3}\(ignored.*/g, ""),
    );
    expect(JSON.parse(json.stdout).filter(({ level }: { level: string }) => level === "project")).toEqual([
      { level: "project", name: ".toolcrib/rules", line: 1, text: "deny run rm **", ignored: null },
      {
        level: "project",
        name: ".toolcrib/rules",
        line: 2,
        text: "allow run make",
        ignored: "the file is not trusted",
      },
      { level: "project", name: ".toolcrib/rules", line: 3, text: "variables none", ignored: null },
      {
        level: "project",
        name: ".toolcrib/rules",
        line: 4,
        text: "pass CI",
        ignored: "the file is not trusted",
      },
    ]);
  });

  it("reads no Toolcrib setting from a workspace's .env", async () => {
    await using cli = cliWorkspace();
    cli.write(".env", `TOOLCRIB_HOME=${cli.workspace}/evil\nXDG_CONFIG_HOME=${cli.workspace}/evil\n`);
    cli.write("evil/config/rules", "allow run **\n");
    cli.write("evil/toolcrib/rules", "allow run **\n");
    const paths = JSON.parse((await cli.run("paths", "--json")).stdout);
    const { exit } = await cli.run("policy", "explain", "run make", "--mode", "safe");
    expect([paths.config, exit]).toEqual([join(cli.home, "config"), 4]);
  });

  it("stops at an invalid rule, as every call does", async () => {
    await using cli = cliWorkspace();
    cli.write(cli.userRules, "allow run ls\nallwo run pwd\n");
    const ends = await Promise.all([cli.run("policy", "show"), cli.run("call", "file.list")]);
    for (const { exit, stdout, stderr } of ends)
      expect([exit, stdout, stderr]).toEqual([2, "", expect.stringContaining(`${cli.userRules}:2`)]);
  });
});

describe("toolcrib policy test", () => {
  it("runs the examples of all rules, and reports which failed and why", async () => {
    await using cli = cliWorkspace();
    cli.write(
      cli.userRules,
      "allow run git status\nexpect allow run git status\nexpect deny run git push\nexpect ask in safe write a.txt\n",
    );
    const failed = await cli.run("policy", "test");
    const repaired = await cli.run("policy", "test", "--rule", "deny run git push **");
    expect([failed, repaired]).toEqual([
      {
        exit: 1,
        stdout: `${cli.userRules}:3: expect deny run git push
  expected deny in mode cautious, got ask: it would run \`git push\`: it reaches other machines, where nothing is undone (mode cautious: network)
3 examples, 1 failed.
`,
        stderr: "",
      },
      { exit: 0, stdout: "3 examples, 0 failed.\n", stderr: "" },
    ]);
  });

  it("runs the examples of an inactive file with its own rules", async () => {
    await using cli = cliWorkspace();
    cli.write("expectations", "allow run ls\nexpect allow run ls\nexpect ask run ls\n");
    const [named, none, missing] = await Promise.all([
      cli.run("policy", "test", "expectations", "--json"),
      cli.run("policy", "test"),
      cli.run("policy", "test", "nowhere"),
    ]);
    const results = JSON.parse(named.stdout).map(({ line, expected, passed }: Record<string, unknown>) => [
      line,
      expected,
      passed,
    ]);
    expect([named.exit, results]).toEqual([
      1,
      [
        [2, "allow", true],
        [3, "ask", false],
      ],
    ]);
    expect([none, missing]).toEqual([
      { exit: 0, stdout: "The rules have no `expect` lines.\n", stderr: "" },
      {
        exit: 2,
        stdout: "",
        stderr: "The file nowhere does not exist\nName a file with rules and `expect` lines.\n",
      },
    ]);
  });
});

describe("toolcrib policy replay", () => {
  it("compares the verdicts of rules for recorded calls with the original ones", {
    tags: "slow",
  }, async () => {
    await using cli = cliWorkspace();
    cli.write("a.txt", "a\n");
    cli.write(cli.userRules, "ask delete b.txt\n");
    const crib = await openToolcrib({
      workspace: cli.workspace,
      stateDirectory: cli.home,
      configDirectory: join(cli.home, "config"),
      approve: () => ({ allow: true }),
    });
    await crib.call("file.read", { path: "a.txt" });
    await crib.call("file.write", { path: "b.txt", content: "b" });
    await crib.call("file.delete", { path: "b.txt" });
    await crib.call("file.read", { path: ".env" });
    await crib.call("file.read", { nonsense: true } as never);
    await crib.close();
    const rules = ["--rule", "deny use file.write", "--rule", "allow delete b.txt"];
    const [last, same, session, all, unknown] = await Promise.all([
      cli.run("policy", "replay", "last", ...rules),
      cli.run("policy", "replay", "last"),
      cli.run("policy", "replay", crib.session, "--json", ...rules),
      cli.run("policy", "replay", "all"),
      cli.run("policy", "replay", "yesterday"),
    ]);
    expect(last).toEqual({
      exit: 0,
      stdout: expect.stringMatching(
        new RegExp(
          [
            "^then +now +call +reason",
            String.raw`allow +deny +file.write \{"path":"b.txt","content":"b"\} +deny use file.write \(--rule:1\)`,
            String.raw`ask, once +allow +file.delete \{"path":"b.txt"\} +allow delete b.txt \(--rule:2\)`,
            String.raw`deny +deny +file.read \{"path":".env"\} +secret .* \(built-in\)`,
            "",
            String.raw`4 calls: 2 allow, 0 ask, 2 deny; 2 differ from the recorded verdict.\n$`,
          ].join("\n"),
        ),
      ),
      stderr: "",
    });
    expect(same.stdout.trimEnd().split("\n").at(-1)).toBe(
      "4 calls: 2 allow, 1 ask, 1 deny; 0 differ from the recorded verdict.",
    );
    expect(all.stdout).toBe(same.stdout);
    const verdicts = JSON.parse(session.stdout).map((call: { recorded: Verdict; now: Verdict }) => [
      call.recorded.verdict,
      call.now.verdict,
    ]);
    expect(verdicts).toEqual([
      ["allow", "allow"],
      ["allow", "deny"],
      ["ask", "allow"],
      ["deny", "deny"],
    ]);
    expect([unknown.exit, unknown.stderr]).toEqual([
      2,
      "The session to replay is missing: a session id, last, or all\nFor example: toolcrib policy replay last\n",
    ]);
  });

  it("checks commands of a session with the state that earlier ones left", { tags: "slow" }, async () => {
    await using cli = cliWorkspace();
    cli.write("sub/a.txt", "a\n");
    mkdirSync(cli.home, { recursive: true });
    const calls = [
      { command: "cat a.txt", cwd: "sub" },
      { command: "cat b.txt" },
      { command: "cat a.txt" },
      { command: "cat() { true; }" },
      { command: "cat b.txt" },
      { command: "cat a.txt", session: "other" },
    ];
    const crib = await openToolcrib({
      workspace: cli.workspace,
      stateDirectory: cli.home,
      configDirectory: join(cli.home, "config"),
      sandbox: "none",
      approve: () => ({ allow: true }),
    });
    for (const call of calls) await crib.call("shell.run", { session: "main", ...call });
    await crib.close();
    const rules = ["allow run cat **", "deny read sub/a.txt"];
    const given = ["--sandbox", "bwrap", ...rules.flatMap((rule) => ["--rule", rule])];
    const { stdout } = await cli.run("policy", "replay", "last", "--json", ...given);
    const verdicts = JSON.parse(stdout).map(({ now }: { now: Verdict }) => now.verdict);
    expect(verdicts).toEqual(["deny", "allow", "deny", "allow", "allow", "allow"]);
  });

  it("asks again about commands of a dialect that promises to ask", { tags: "slow" }, async () => {
    await using cli = cliWorkspace();
    for (const [dialect, tool] of [
      ["toolcrib", "shell.run"],
      ["rustant", "shell_exec"],
    ] as const) {
      const crib = await openToolcrib({
        workspace: cli.workspace,
        stateDirectory: cli.home,
        dialect,
        approve: () => ({ allow: false }),
      });
      await crib.call(tool, { command: "pwd" });
      await crib.close();
    }
    const { stdout } = await cli.run("policy", "replay", "all", "--json", "--sandbox", "bwrap");
    expect(JSON.parse(stdout).map(({ now }: { now: Verdict }) => now.verdict)).toEqual(["allow", "ask"]);
  });

  it("reports that nothing is recorded", async () => {
    await using cli = cliWorkspace();
    expect(await cli.run("policy", "replay", "last")).toEqual({
      exit: 0,
      stdout: "",
      stderr: "No calls are recorded for last.\n",
    });
  });
});

interface Verdict {
  readonly verdict: string;
}

describe("toolcrib policy trust", () => {
  it("needs a user or --yes, applies to the exact content, and can be revoked", async () => {
    await using cli = cliWorkspace();
    cli.write(".toolcrib/rules", "allow run make\nask run make clean\n");
    const steps: unknown[] = [];
    const step = async (...words: string[]) => {
      const { exit, stdout } = await cli.run("policy", ...words);
      steps.push([exit, words.includes("explain") ? stdout.split("\n")[0] : stdout]);
    };
    await step("explain", "run make", "--mode", "safe");
    await step("trust");
    await step("trust", "--yes");
    await step("trust", "--yes");
    await step("explain", "run make", "--mode", "safe");
    writeFileSync(join(cli.workspace, ".toolcrib/rules"), "allow run **\n");
    await step("explain", "run make", "--mode", "safe");
    const { stderr } = await cli.run("call", "file.list");
    await step("untrust");
    await step("untrust");
    expect(stderr).toBe(
      ".toolcrib/rules has changed since you trusted it, so its allow rules do not apply. To trust it again, run: toolcrib policy trust\n",
    );
    const asked = "ask: it would run `make` (mode safe: execute)";
    expect(steps).toEqual([
      [4, asked],
      [4, ""],
      [0, "Trusted until the file changes.\n"],
      [0, "They are already trusted.\n"],
      [0, "allow: it would run `make`: a rule allows it"],
      [4, asked],
      [0, "No longer trusted: its rules can only deny.\n"],
      [0, "They were not trusted.\n"],
    ]);
  });

  it("shows what would be allowed before it asks, also to a program", async () => {
    await using cli = cliWorkspace();
    cli.write(".toolcrib/rules", "deny run rm **\nallow run \u001b[2Jmake\n");
    const shown = await cli.run("policy", "trust", "--yes");
    const json = await cli.run("policy", "trust", "--yes", "--json");
    expect([shown.stderr, JSON.parse(json.stdout), json.stderr]).toEqual([
      expect.stringMatching(
        /^.toolcrib\/rules of this folder would allow more by 1 line:\n {2}\| .toolcrib\/rules:2: allow run <U\+001B>\[2Jmake\nFolder {2}\/.*\nSHA-256 [0-9a-f]{64}\n$/,
      ),
      {
        workspace: cli.workspace,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        trust: "trusted",
        allows: [".toolcrib/rules:2: allow run \u001b[2Jmake"],
      },
      "",
    ]);
  });

  it("is refused to a tool's command", { tags: "slow" }, async () => {
    await using cli = cliWorkspace();
    cli.write(".toolcrib/rules", "allow run **\n");
    const environment = openLocalEnvironment({ workspace: cli.workspace });
    const command = await environment.start(process.execPath, {
      args: [join(import.meta.dirname, "../main.ts"), "policy", "trust", "--yes"],
      env: { TOOLCRIB_HOME: cli.home, TOOLCRIB_RUN: "" },
      signal: new AbortController().signal,
    });
    const { code } = await command.exit;
    await environment.close();
    expect([code, (await cli.run("policy", "explain", "run make", "--mode", "safe")).exit]).toEqual([3, 4]);
  });

  it("reports that there is nothing to trust", async () => {
    await using cli = cliWorkspace();
    expect(await cli.run("policy", "trust", "--yes")).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        `There is no .toolcrib/rules in ${cli.workspace}\n` +
        "To find the folder of your own rules, run: toolcrib paths\n",
    });
    expect(existsSync(join(cli.home, "config"))).toBe(false);
  });
});
