import { expect, it } from "vitest";
import { decide, policyOf, rules, testContext } from "../../test/support/policy/decide.ts";
import type { ToolAccess } from "../contract/access.ts";
import type { Confinement } from "../contract/confinement.ts";
import { confinementOf } from "./confinement-of.ts";
import type { PolicyMode, Question, RuleSource } from "./policy.ts";

interface Setup {
  readonly mode?: PolicyMode;
  readonly answer?: "approved" | "not asked";
  readonly sources?: readonly RuleSource[];
  readonly realPaths?: Readonly<Record<string, string>>;
  readonly tool?: string;
}

function confine(command: string, lines = "", setup: Setup = {}): Confinement {
  const { mode = "cautious", answer = "approved", sources = [], realPaths = {} } = setup;
  const { tool = "shell.run" } = setup;
  const policy = policyOf([...sources, ...(lines === "" ? [] : [rules(lines)])]);
  const accesses: readonly ToolAccess[] = [{ kind: "execute", command }];
  const question: Question = {
    mode,
    tool: { name: tool, risk: "execute" },
    accesses,
    sandbox: "bwrap",
    realPaths: new Map(Object.entries(realPaths)),
  };
  return confinementOf(decide(question, policy), question, policy, answer);
}

const inside = (path: string) => `${testContext.workspace}/${path}`;

it("allows no host and no outside path unless a rule or the user allows it", () => {
  const { mayConnect, readable, writable, variables, limits, limitsAtMost, unconfined } = confine("npm test");
  expect({ mayConnect, readable, writable, variables, limits, limitsAtMost, unconfined }).toEqual({
    readable: [],
    writable: [],
    variables: { base: "most", extra: [] },
    limits: {},
    limitsAtMost: {},
  });
});

it("has equal keys only where the same paths are hidden", () => {
  const keyAndHidden = (lines: string) => {
    const { isHidden, pathsKey } = confine("npm test", lines);
    return [pathsKey, [".env", ".env.bak"].map((path) => isHidden?.(inside(path)))];
  };
  const [closed] = keyAndHidden("");
  expect(keyAndHidden("open .env by file.read\nopen .env.bak by file.read")).toEqual([closed, [true, true]]);
  expect(keyAndHidden("open .env by shell.*")).toEqual([
    expect.not.stringMatching(`${closed}`),
    [false, true],
  ]);
});

it("hides secrets, unreadable paths and Toolcrib's own files", () => {
  const { isHidden } = confine(
    "npm test",
    "deny read private/**\ndeny read logs/** by shell.*\ndeny read x by file.*",
  );
  const paths = [
    ".env",
    "sub/.env.local",
    ".ssh",
    "a/secrets",
    "a/secrets/b",
    "server.pem~",
    "private",
    "private/a",
  ];
  const shown = ["src/a.ts", ".env.example", "x", ".", "a", ".git", ".git/config", ".vscode/settings.json"];
  expect([
    [...paths.map(inside), inside("logs/today"), "/home/ada/.ssh/id_rsa", testContext.own[0]!].filter(
      (path) => !isHidden!(path),
    ),
    shown.map(inside).filter((path) => isHidden!(path)),
  ]).toEqual([[], []]);
});

it("hides a secrets directory file by file when the user has opened some", () => {
  const { isHidden } = confine("npm test", "open fixtures/secrets/public.json");
  expect(
    ["fixtures/secrets", "fixtures/secrets/public.json", "fixtures/secrets/other"].map((path) =>
      isHidden!(inside(path)),
    ),
  ).toEqual([false, false, true]);
});

const guarded = [
  ".git/hooks",
  ".git/hooks/pre-commit",
  ".git/config",
  ".GIT/hooks/x",
  "sub/.git/hooks",
  ".git/modules/a/config",
  ".git/commondir",
  ".mcp.json",
  ".vscode",
  ".vscode/settings.json",
  "sub/.claude/settings.json",
  ".github/workflows/ci.yml",
  ".toolcrib/rules",
];
const free = [
  "",
  ".git",
  ".git/index",
  ".git/objects/ab/cd",
  ".git/refs/heads/main",
  "src/a.ts",
  ".github",
  "sub",
];

it("keeps files that git, editors and agents run automatically read-only", () => {
  for (const mode of ["safe", "cautious", "paranoid", "yolo"] as const) {
    const { isReadOnly } = confine("npm test", "", { mode });
    expect([
      mode,
      guarded.filter((path) => !isReadOnly!(inside(path))),
      free.filter((path) => isReadOnly!(`${testContext.workspace}${path === "" ? "" : `/${path}`}`)),
    ]).toEqual([mode, [], []]);
  }
});

it("lets a call write the protected file it was allowed to write, and no other", () => {
  const writing = "echo {} > .vscode/settings.json";
  const of = (confinement: Confinement) => [
    confinement.isReadOnly!(inside(".vscode/settings.json")),
    confinement.isReadOnly!(inside(".vscode/tasks.json")),
    confinement.isReadOnly!(inside(".mcp.json")),
  ];
  expect([
    of(confine(writing)),
    of(confine(writing, "", { mode: "yolo", answer: "not asked" })),
    of(confine(writing, "", { answer: "not asked" })),
    of(confine("npm test", "allow write .vscode/**")),
    of(confine("npm test", "allow write .vscode/**", { mode: "paranoid" })),
    of(confine("npm test", "allow write .vscode/** by edit.*")),
    of(confine("cp -r a .vscode")),
  ]).toEqual([
    [false, true, true],
    [false, true, true],
    [true, true, true],
    [false, false, true],
    [true, true, true],
    [true, true, true],
    [false, false, true],
  ]);
});

it("lists protected paths that must not be created", () => {
  const file = (path: string) => ({ path: inside(path), kind: "file" as const });
  const directory = (path: string) => ({ path: inside(path), kind: "directory" as const });
  const names = (path: string) => ({ path: inside(path), kind: "names" as const });
  const { absent } = confine(
    "npm test",
    "protected Deploy/** Lock.file {a,b}/c ../out x/../../../y\nask read d\nprotected e*",
  );
  const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);
  const usual = [
    ...[".agents", ".amazonq", ".circleci", ".claude", ".clinerules", ".codex", ".continue", ".cursor"].map(
      directory,
    ),
    ...[".devcontainer", ".gemini", ".github/hooks", ".github/workflows", ".husky"].map(directory),
    ...[".idea", ".junie", ".kiro", ".opencode", ".qwen", ".roo", ".toolcrib", ".vscode"].map(directory),
    ...[".windsurf", ".zed", ".kilocode", ".trae", ".factory", ".augment", ".amp"].map(directory),
    ...[".openhands", ".qoder"].map(directory),
    ...["crush.json", ".crush.json", ".devcontainer.json", ".gitpod.yml"].map(file),
    ...[".envrc", ".github/mcp.json", ".gitlab-ci.yml", ".mcp.json"].map(file),
    ...[".pre-commit-config.yaml", "opencode.json", "opencode.jsonc"].map(file),
    ...["*.code-workspace", ".aider.conf*", ".cargo/config*", ".hg/hgrc*", ".lefthook-local.*"].map(names),
    ...[".lefthook.*", "lefthook-local.*", "lefthook.*", ".mise*.toml", "mise*.toml"].map(names),
    ...[".venv/bin/activate*", "venv/bin/activate*"].map(names),
  ].sort(byPath);
  const own = [directory("Deploy"), file("Lock.file"), file("a/c"), file("b/c"), names("e*")];
  expect(absent!.toSorted(byPath)).toEqual([...usual, ...own].sort(byPath));
  const without = (path: string) => usual.filter((one) => one.path !== inside(path)).sort(byPath);
  expect([
    confine("echo > .mcp.json").absent!.toSorted(byPath),
    confine("npm test", "allow write .mcp.json").absent!.toSorted(byPath),
  ]).toEqual([without(".mcp.json"), without(".mcp.json")]);
});

it("allows outside paths that rules allow or the user approved for this call", () => {
  const of = (command: string, lines = "", setup: Setup = {}) => {
    const { readable, writable } = confine(command, lines, setup);
    return [readable, writable];
  };
  expect([
    of(
      "npm test",
      "allow read ~/data/** /srv/file /opt/*/x src/**\nallow touch /srv/cache/**\nallow read /**",
    ),
    of("npm test", "allow read /srv/** by file.*"),
    of(
      "npm test",
      "allow read ../sibling/** /srv/../opt/lib\nallow write ../out/** ../*/../x/** ../../../../**",
    ),
    of("npm test", "allow read /srv/**", { mode: "paranoid" }),
    of("cat ~/notes.txt > /srv/out"),
    of("cat ~/notes.txt > /srv/out", "", { answer: "not asked" }),
    of("cat ~/notes.txt > /srv/out", "", { mode: "yolo", answer: "not asked" }),
    of("python3 ~/tool.py"),
    of("python3 ~/tool.py", "allow run python3 **", { answer: "not asked" }),
    of("/opt/x/bin/tool"),
    of("cat a.txt > /dev/null; cat /proc/1/status; cat sub/../b"),
    of("echo a > /tmp/out; cat /tmp/out; cat /tmp/other"),
    of("cat /tmp/other", "", { mode: "yolo" }),
    of("ls .."),
    of("cat link", "", { realPaths: { link: "/\0" } }),
  ]).toEqual([
    [["/srv/cache", "/home/ada/data", "/srv/file"].sort(), ["/srv/cache"]].map((paths) =>
      expect.toSatisfy(sameAs(paths)),
    ),
    [[], []],
    [["/opt/lib", "/home/ada/sibling"], ["/home/ada/out"]],
    [[], []],
    [["/home/ada/notes.txt"], ["/srv/out"]],
    [[], []],
    [["/home/ada/notes.txt", "/srv/out"], ["/srv/out"]],
    [["/home/ada/tool.py"], []],
    [[], []],
    [["/opt/x/bin/tool"], []],
    [[], []],
    [[], []],
    [[], []],
    [["/home/ada"], []],
    [[], []],
  ]);
});

function sameAs(paths: readonly string[]): (found: readonly string[]) => boolean {
  return (found) => JSON.stringify(found.toSorted()) === JSON.stringify(paths.toSorted());
}

it("blocks addresses that a rule denies, under any name that resolves to them", () => {
  const { mayConnect } = confine("npm test", "allow connect example.com\ndeny connect 9.9.*");
  const led = (address: string) => mayConnect?.(address, 443, "example.com");
  expect(
    ["8.8.8.8", "9.9.9.9", "::ffff:909:909", "10.0.0.1", "localhost", "169.254.169.254"].map(led),
  ).toEqual([true, ...Array(5).fill(false)]);
});

it("allows hosts that rules allow or the user approved for this call", () => {
  const reached = (command: string, lines = "", setup: Setup = {}) => {
    const { mayConnect } = confine(command, lines, setup);
    return mayConnect === undefined ? undefined : hosts.filter((host) => mayConnect(host, 443));
  };
  const hosts = [
    "example.com",
    "a.example.com",
    "EXAMPLE.com.",
    "other.org",
    "8.8.8.8",
    "localhost",
    "127.0.0.1",
    "::1",
  ];
  const local = [
    "10.0.0.1",
    "169.254.169.254",
    "::ffff:127.0.0.1",
    "0.0.0.0",
    "evil\0.example.com",
    "ex%61mple.com",
  ];
  hosts.push(...local);
  expect([
    reached("npm test"),
    reached("npm test", "allow connect example.com"),
    reached("npm test", "allow connect *.example.com"),
    reached("npm test", "allow connect *"),
    reached("npm test", "allow connect *\ndeny connect example.com"),
    reached("npm test", "allow connect *\nask connect other.org", { answer: "not asked" }),
    reached("npm test", "allow connect *", { mode: "paranoid" }),
    reached("npm test", "allow connect * by web.*"),
    reached("curl https://example.com/x"),
    reached("curl https://example.com/x", "", { answer: "not asked" }),
    reached("curl http://localhost:3000/"),
    reached("npm test", "allow connect localhost"),
    reached("npm test", "allow connect 10.*"),
    reached("npm test", "", { mode: "yolo", answer: "not asked" }),
    reached("npm test", "deny connect example.com", { mode: "yolo", answer: "not asked" }),
    reached("curl http://10.0.0.1/", "", { mode: "yolo", answer: "not asked" }),
    reached("curl http://10.0.0.1/", "allow connect *", { answer: "not asked" }),
    reached("curl http://10.0.0.1/"),
    reached("curl http://169.254.169.254/", "allow connect 169.254.*"),
  ]).toEqual([
    undefined,
    ["example.com", "EXAMPLE.com."],
    ["a.example.com"],
    ["example.com", "a.example.com", "EXAMPLE.com.", "other.org", "8.8.8.8"],
    ["other.org", "8.8.8.8"],
    ["example.com", "a.example.com", "EXAMPLE.com.", "8.8.8.8"],
    undefined,
    undefined,
    ["example.com", "EXAMPLE.com."],
    undefined,
    ["localhost", "127.0.0.1", "::1", "::ffff:127.0.0.1"],
    ["localhost", "127.0.0.1", "::1", "::ffff:127.0.0.1"],
    ["10.0.0.1"],
    ["example.com", "a.example.com", "EXAMPLE.com.", "other.org", "8.8.8.8"],
    ["other.org", "8.8.8.8"],
    ["example.com", "a.example.com", "EXAMPLE.com.", "other.org", "8.8.8.8"],
    ["example.com", "a.example.com", "EXAMPLE.com.", "other.org", "8.8.8.8"],
    ["10.0.0.1"],
    ["169.254.169.254"],
  ]);
});

it("lists the allowed hosts as the rules spell them", () => {
  const hosts = (command: string, lines: string, setup: Setup = {}) => confine(command, lines, setup).hosts;
  const lines = "allow connect *.example.com by shell.*\nallow connect b.org by web.*";
  expect([
    hosts("make", ""),
    hosts("make", lines),
    hosts("curl https://c.net/", lines),
    hosts("curl https://c.net/", lines, { answer: "not asked" }),
    hosts("make", lines, { mode: "yolo" }),
  ]).toEqual([undefined, ["*.example.com"], ["*.example.com", "c.net"], ["*.example.com"], ["*"]]);
});

it("applies only variable and limit settings to commands outside the sandbox", () => {
  const lines = "unconfined run docker **\nvariables none\npass DOCKER_*\nlimit cpu 60";
  expect(confine("docker ps", lines)).toEqual({
    unconfined: true,
    variables: { base: "none", extra: ["DOCKER_*"] },
    limits: { cpuSeconds: 60 },
    limitsAtMost: {},
  });
});

it("returns the same functions while the rules are unchanged", () => {
  const [one, other] = [confine("npm test"), confine("npm run build")];
  expect([one.isHidden === other.isHidden, one.isReadOnly === other.isReadOnly]).toEqual([true, true]);
});

it("returns the same functions for tools under the same rules", () => {
  const lines = "deny read logs/** by git.*";
  const functionsFor = (tool: string) => {
    const { isHidden, isReadOnly } = confine("npm test", lines, { tool });
    return [isHidden, isReadOnly, isHidden?.(inside("logs/a"))];
  };
  const [shell, process, stage, commit] = ["shell.run", "process.start", "git.stage", "git.commit"].map(
    functionsFor,
  );
  expect([shell, stage]).toEqual([process, commit]);
  expect([shell![0] === stage![0], shell![2], stage![2]]).toEqual([false, false, true]);
});
