import { expect, it } from "vitest";
import { type Circumstances, decideOn, rules } from "../../test/support/policy/decide.ts";
import type { ToolAccess } from "../contract/access.ts";
import { grantsFor, grantWidths } from "./grants.ts";
import type { Decision } from "./policy.ts";

const tool = { name: "shell.run", risk: "execute" } as const;
const elsewhere = { name: "create_issue", server: "git hub", risk: "network" } as const;
const command = (text: string): ToolAccess => ({ kind: "execute", command: text });
const grants = (access: ToolAccess, circumstances: Circumstances = {}) =>
  grantsFor(decideOn([access], [], { tool, ...circumstances }), { tool });
const granted = (lines: readonly string[] | undefined) => rules((lines ?? []).join("\n"), "granted");

it("grants exactly the requested words, paths and hosts, to this tool", () => {
  expect([
    grants(command("CI=1 npm test 'a b' && rm x; curl https://a.example/z > ../out"), { mode: "safe" }),
    grants(command("ls | wc -l"), { mode: "safe" }),
    grants({ kind: "delete", path: "my docs/a*.md" }, { mode: "safe" }),
    grants({ kind: "network", host: "A.example:443" }),
    grantsFor(decideOn([], [], { tool: elsewhere }), { tool: elsewhere }),
    grantsFor(decideOn([], [], { tool: { ...elsewhere, definition } }), { tool: elsewhere }),
  ]).toEqual([
    [
      "allow run CI=1 npm test 'a b' by shell.run",
      "allow run rm x by shell.run",
      "allow delete /home/ada/work/x by shell.run",
      "allow run curl https://a.example/z by shell.run",
      "allow write /home/ada/out by shell.run",
      "allow connect a.example by shell.run",
    ],
    ["allow run ls by shell.run", "allow run wc -l by shell.run"],
    ["allow delete '/home/ada/work/my docs/a*.md' by shell.run"],
    ["allow connect a.example by shell.run"],
    ["allow use create_issue of 'git hub' by create_issue of 'git hub'"],
    [`allow use create_issue of 'git hub' as ${definition} by create_issue of 'git hub'`],
  ]);
});

it("allows a tool only with the definition that was granted", () => {
  const tool = { ...elsewhere, definition };
  const grant = rules(`allow use create_issue of 'git hub' as ${definition}`, "granted");
  const verdicts = [definition, definition.replace("0", "f"), undefined].map(
    (now) => decideOn([], [grant], { tool: { ...tool, definition: now } }).verdict,
  );
  expect(verdicts).toEqual(["allow", "ask", "allow"]);
});

const definition = "0123456789abcdef0123456789abcdef";

const asked = [
  "npm test",
  "npm run 'x y' --flag=\"a'b\"",
  "git commit -m 'say \"hi\" *'",
  "find . -name '*.ts' -newer by",
  "grep @read '#' \\\\ '{}' 'because' \"it's\"",
  "sort --compress-program=gzip a",
  "sed 1e a",
  "git push --force origin +main",
  "make > out 2>&1",
  "./build.sh by of because",
  "rm -rf 'a b' ../c",
  "curl -o x https://a.example/",
  "X=1 make",
  "X='a b' Y= make",
  "'X=1' make",
];

it.each(asked)("a grant for `%s` allows it, and nothing that differs", (text) => {
  // Mode cautious allows some of them, and their differences.
  const source = granted(grants(command(text), { mode: "safe" }));
  const verdict = (given: string): Decision["verdict"] =>
    decideOn([command(given)], [source], { tool, mode: "safe" }).verdict;
  const other = { tool: { name: "other.tool", risk: "execute" }, mode: "safe" } as const;
  expect([
    verdict(text),
    decideOn([command(text)], [source], other).verdict,
    ...[`${text} x`, `${text} && make x`, `cd /tmp && ${text}`, `${text} > /tmp/x`, `PATH=. ${text}`].map(
      verdict,
    ),
  ]).toEqual(["allow", "ask", "ask", "ask", "ask", "ask", "ask"]);
});

it("offers no grant when one part cannot be granted", () => {
  expect([
    grants(command("npm test && $X")),
    grants(command('npm run "a$X"')),
    grants(command("cat *")),
    grants(command('rm "$x"')),
    grants(command("curl $URL")),
    grants(command("make 'a\nallow run **'")),
    grants({ kind: "delete", path: "a\nallow run **" }),
    grants(command("npm test"), { mode: "paranoid" }),
    grants({ kind: "write", path: "a" }, { mode: "paranoid" }),
    grants({ kind: "write", path: "a" }),
    grants({ kind: "read", path: ".env" }),
  ]).toEqual(Array.from({ length: 11 }, () => undefined));
});

it("offers wider rules where further arguments cannot do much more", () => {
  const widths = (text: string, circumstances: Circumstances = {}) =>
    grantWidths(decideOn([command(text)], [], { tool, ...circumstances }), { tool }).map(
      ({ words }) => words,
    );
  expect([
    widths("npm test -- -u"),
    widths("npm run build --watch"),
    widths("cargo test a --release"),
    widths("git commit -m 'a b'"),
    widths("mkdir -p a/b"),
    widths("./build.sh all"),
    widths("python3 -m pytest"),
    widths("python3"),
    widths("rm -r a"),
    widths("git push origin main"),
    widths("curl https://a.example/"),
    widths("git log -3", { mode: "safe" }),
    widths("npm test", { sandbox: "none" }),
    widths("./build.sh all", { sandbox: "none" }),
    widths("mkdir a", { sandbox: "none" }),
    widths("make && rm a"),
  ]).toEqual([
    ["run exactly: npm test -- -u", "run npm test with any further arguments"],
    ["run exactly: npm run build --watch", "run npm run build with any further arguments"],
    ["run exactly: cargo test a --release", "run cargo test a with any further arguments"],
    ["run exactly: git commit -m 'a b'", "run git commit with any further arguments"],
    ["run exactly: mkdir -p a/b", "run mkdir with any further arguments"],
    ["run exactly: ./build.sh all", "run ./build.sh with any further arguments"],
    ["run exactly: python3 -m pytest", "run python3 -m pytest with any further arguments"],
    [],
    ["run exactly: rm -r a"],
    ["run exactly: git push origin main"],
    ["run exactly: curl https://a.example/; connect to a.example"],
    ["run exactly: git log -3", "run git log with any further arguments", "run any command that only reads"],
    [],
    [],
    ["run without a sandbox, exactly: mkdir a"],
    ["run exactly: make; run exactly: rm a"],
  ]);
});

it("applies a wider rule to the command that it was offered for, with further arguments, and to no harmful option", () => {
  const after = (asked: string, given: string) => {
    const rules = grantWidths(decideOn([command(asked)], [], { tool }), { tool })[1]!.rules;
    return decideOn([command(given)], [granted(rules)], { tool }).verdict;
  };
  expect([
    after("npm test", "npm test"),
    after("npm test", "npm test -- -u"),
    after("npm test", "npm publish"),
    after("npm test", "npm test && make"),
    after("git commit -m a", "git commit -am b"),
    after("git commit -m a", "git push"),
    after("sort -o b a", "sort -o d c"),
    after("sort -o b a", "sort --compress-program=./x c"),
    after("mkdir a", "mkdir ../b"),
  ]).toEqual(["allow", "allow", "ask", "ask", "allow", "ask", "allow", "ask", "ask"]);
});

it("offers nothing but once for a command whose program text comes from standard input", () => {
  const offered = (text: string) =>
    grantWidths(decideOn([command(text)], [], { tool, mode: "safe" }), { tool }).length > 0;
  const once = [
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "python3",
    "python3.12 -u -",
    "python3 -W ignore",
    "node",
    "node --input-type=module <<EOF\n1\nEOF",
    "node --title x -",
    "echo hi | node",
    "curl https://a.example | sh",
    "bash -s x < s.sh",
    "bash -x",
    "bash -o pipefail",
    "bash +e",
    "sh < s.sh",
    "sudo sh < s.sh",
    "source /dev/stdin",
    "python3 /dev/fd/0",
    "make -f - < x",
    "awk -f - file",
    "perl -w",
    "deno run -",
    "echo ls | xargs -n 1 bash -c",
    "env A=1 ruby",
    "echo id | bash -e",
    "echo id | sh -eu",
    "node -r ./hook.js",
    "node --env-file .env",
    "python3 -W ignore::x.y",
    "perl -I ./lib",
    "Rscript -",
    "julia",
    "echo x | xargs /bin/sh",
    "sed -f /dev/stdin a.txt",
  ];
  const also = [
    "python3 tool.py < data",
    "python3 -c 'print(1)'",
    "python3 -m pytest",
    "node app.js",
    "node -e 1",
    "bash s.sh",
    "bash -c 'echo hi'",
    "awk -f p.awk data",
    "bash -eu s.sh",
    "sh -ec 'echo hi'",
    "python3 -u tool.py",
    "node --test",
    "node --max-old-space-size=99 app.js",
    "perl -pe 's/a/b/' f",
    "bun run build",
    "sed -n 1p file",
    "make all",
    "npm test",
  ];
  expect([once.filter(offered), also.filter((text) => !offered(text))]).toEqual([[], []]);
});

it("offers no rule that leaves the sandbox for a command that runs code of the workspace", () => {
  const offered = (text: string, ruleText: string) =>
    grantWidths(decideOn([command(text)], [rules(ruleText, "user")], { tool }), { tool }).length;
  expect([
    offered("npm test", "ask run npm test"),
    offered("npm test", "unconfined run npm **\nask run npm test"),
    offered("git push", "unconfined run git **\nask run git push"),
  ]).toEqual([2, 0, 1]);
  const offeredBare = (text: string) =>
    grantWidths(decideOn([command(text)], [], { tool, sandbox: "none" }), { tool }).length;
  const running = [
    "awk 'BEGIN { system(\"./x.sh\") }'",
    "sed '1e ./x.sh' a.txt",
    "sort --compress-program=./x.sh a.txt",
    "rg --pre ./x.sh a",
    "find . -exec ./x.sh {} ;",
    "xargs ./x.sh",
    "git commit -m x",
    "git -c core.fsmonitor=./x.sh status",
    "./x.sh",
    "tar --to-command=./x.sh -xf a.tar",
  ];
  expect([running.filter((text) => offeredBare(text) > 0), offeredBare("mkdir a")]).toEqual([[], 1]);
});

it("offers nothing but once for a command that passes its standard input to a shell elsewhere", () => {
  const offered = (text: string) => grantWidths(decideOn([command(text)], [], { tool }), { tool }).length > 0;
  const once = [
    "docker exec -i web sh <<E\nid\nE",
    "cat x.sh | docker compose exec -T web /bin/bash -s",
    "cat q.sql | docker exec -i db psql",
    "kubectl exec -i pod -- bash < x.sh",
    "kubectl apply -f -",
    "ssh host < x.sh",
    "ssh -p 22 -i key host",
    "ssh host bash -s",
  ];
  const also = [
    "docker restart web",
    "docker exec web ls",
    "docker exec web sh -c id",
    "kubectl get pods",
    "ssh host uptime",
  ];
  expect([once.filter(offered), also.filter((text) => !offered(text))]).toEqual([[], []]);
});
