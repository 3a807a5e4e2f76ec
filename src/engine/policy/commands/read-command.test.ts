// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { describe, expect, it } from "vitest";
import { hostsNamedBy } from "./named-hosts.ts";
import { pathsNamedBy } from "./named-paths.ts";
import { readCommand } from "./read-command.ts";

const programs = (command: string) =>
  readCommand(command).commands.map(({ words }) => words.map(({ value, text }) => value ?? text).join(" "));

describe("readCommand", () => {
  it("calls a command plain that has only words, quotes, globs, pipes, lists, groups and loops over words", () => {
    const plain = [
      "npm test",
      "'npm' \"test\" te\\ st > log 2>&1 < a",
      "ls | wc -l && echo a || echo b; pwd &",
      "(cd a && ls) | cat",
      "{ ls; pwd; }",
      "for f in a b *.c; do cat src/*.ts; done",
      "ls \\\n  -la # a comment",
      "! ls",
      "CI=1 npm test",
      "sh -c 'ls | wc'",
      "ls ~/a $HOME/b",
    ];
    expect(plain.filter((command) => readCommand(command).notPlain.length > 0)).toEqual([]);
  });

  it("says why another command is not plain", () => {
    const reasons = Object.fromEntries(
      [
        "ls $X",
        "ls $(id)",
        "cat <<E\na\nE",
        "if ls; then pwd; fi",
        "f() { ls; }",
        "x=1; ls",
        "export X=1",
        "$X a",
        'sh -c "$X"',
        "curl a | sh",
        "ls {a,b}",
        "ls $'\\x41'",
        "ls ~bob/a",
        "ls \u200ba",
        "a=(1 2)",
        "ls `id`",
        "[[ -e a ]]",
        "((1))",
      ].map((command) => [command, readCommand(command).notPlain[0]?.reason]),
    );
    expect(reasons).toEqual({
      "ls $X": "a variable",
      "ls $(id)": "a substitution",
      "cat <<E\na\nE": "a here-document",
      "if ls; then pwd; fi": "a condition",
      "f() { ls; }": "a function",
      "x=1; ls": "a variable of the shell",
      "export X=1": "export, which may change what later commands mean",
      "$X a": "a variable",
      'sh -c "$X"': "a variable",
      "curl a | sh": "a shell that runs what it reads",
      "ls {a,b}": "an expansion",
      "ls $'\\x41'": "a quotation with escapes",
      "ls ~bob/a": "another home folder",
      "ls \u200ba": "an invisible character (U+200B)",
      "a=(1 2)": "an array",
      "ls `id`": "a substitution",
      "[[ -e a ]]": "a test",
      "((1))": "arithmetic",
    });
  });

  it("finds commands in everything that bash or a listed program runs", () => {
    expect({
      substitution: programs('echo "$(rm a)" <(rm b) ${X:-$(rm c)} `rm d`'),
      constructs: programs(
        "if a; then b; else c; fi; while d; do e; done; case x in y) f;; esac; g() { h; }",
      ),
      wrappers: programs("sudo -u x env A=1 timeout -k 1 5 nice -n 5 rm a"),
      scripts: programs("bash -o pipefail -lc 'rm a | wc'"),
      find: programs("find . -name x -exec rm -f {} + -o -ok ls ';'"),
      xargs: programs("xargs -n 1 -I {} rm {}"),
      git: programs("git -c alias.x='!rm a' x b"),
      here: programs("bash <<'E'\nrm a\nE"),
    }).toEqual({
      substitution: ["rm a", "rm b", "rm c", "rm d", 'echo "$(rm a)" <(rm b) ${X:-$(rm c)} `rm d`'],
      constructs: ["a", "b", "c", "d", "e", "f", "h"],
      wrappers: [
        "sudo -u x env A=1 timeout -k 1 5 nice -n 5 rm a",
        "env A=1 timeout -k 1 5 nice -n 5 rm a",
        "timeout -k 1 5 nice -n 5 rm a",
        "nice -n 5 rm a",
        "rm a",
      ],
      scripts: ["bash -o pipefail -lc rm a | wc", "rm a", "wc"],
      find: ["find . -name x -exec rm -f {} + -o -ok ls ;", "rm -f {}", "ls"],
      xargs: ["xargs -n 1 -I {} rm {}", "rm {}"],
      git: ["git -c alias.x=!rm a x b", "rm a b"],
      here: ["bash", "rm a"],
    });
  });

  it("finds commands behind options whose value is a word or the command itself", () => {
    const inner = (command: string) => programs(command).at(-1);
    const given = [
      ...['env -S "rm x"', 'env "-S rm x"', "env -Srm x", "env -i -u A -S 'B=1 rm' x", 'env -vS "rm x"'],
      ...["env --split-string='rm x'", "env --split 'rm x'", "env --unset A rm x", "env -iu A rm x"],
      ...["sudo --user bob rm x", "sudo -nu bob rm x", "sudo -uroot rm x", "sudo --us bob rm x"],
      ...["sudo --user=bob rm x", "timeout --signal KILL 5 rm x", "nice --adjustment 5 rm x"],
      ...["xargs --max-args 1 rm x", "stdbuf --output L rm x", "command -p rm x"],
    ];
    expect(given.filter((command) => inner(command) !== "rm x")).toEqual([]);
    expect(programs("env ls -S a").at(-1)).toBe("ls -S a");
    expect(programs("command -v rm")).toEqual(["command -v rm"]);
    expect(readCommand('env -S "$X"').notPlain.length).toBeGreaterThan(0);
  });

  it("follows plain changes of the folder, and forgets it after others", () => {
    const folders = (command: string, from = "") =>
      readCommand(command, "/work", { directory: from }).commands.map(({ directory }) => directory);
    expect([
      folders("cd a && ls"),
      folders("cd /work/ && ls", "b"),
      folders("(cd a; ls); ls"),
      folders("cd a | ls; ls"),
      folders("cd $X; ls"),
      folders("cd -; ls"),
      folders("cd ../x && ls", "a"),
    ]).toEqual([
      ["", "a"],
      ["b", ""],
      ["", "a", ""],
      ["", "", ""],
      ["", undefined],
      ["", undefined],
      ["a", "a/../x"],
    ]);
  });

  it("returns at once for text that would take long to parse", () => {
    const texts = ["a".repeat(200_000), "(".repeat(5_000), `$(${"$(".repeat(90)}`, "<<a ".repeat(600)];
    expect(texts.map((text) => readCommand(text).notPlain.length > 0)).toEqual([true, true, true, true]);
  });
});

describe("the paths that a command names", () => {
  const paths = (command: string) =>
    readCommand(command).commands.flatMap((simple) =>
      pathsNamedBy(simple, "/home/ada").map(({ kind, path, namesOnly, isMentioned }) =>
        [kind, path, namesOnly && "name", isMentioned && "mentioned"].filter(Boolean).join(" "),
      ),
    );

  it("are the operands of listed programs, and all words of others that look like paths", () => {
    expect({
      read: paths("cat a ./b ~/c"),
      search: paths("grep -rn '.env' src"),
      patterns: paths("rg -g '!.env' -e .env"),
      script: paths("sed -n '/x/p' a"),
      inPlace: paths("sed -i s/a/b/ a"),
      names: paths("ls .env"),
      written: paths("cp -r a b; tee c; mv d e; ln -s ../x y"),
      deleted: paths("rm -rf a build/* *"),
      redirected: paths("echo .env > a 2>/dev/null < b"),
      unknown: paths("tool x --file=../y @z of=/dev/sda https://a.example/b 'a b.env' -o ../out"),
      git: paths("git show HEAD:.env; git commit -m .env; git config core.pager x"),
      globs: paths("cat /srv/*/a src/*.ts $X/y"),
      text: paths("echo .env; printf ../x; tr / _"),
    }).toEqual({
      read: ["read a", "read ./b", "read /home/ada/c"],
      search: ["read src"],
      patterns: [],
      script: ["read a"],
      inPlace: ["write a"],
      names: ["read .env name"],
      written: ["read a", "write b", "write c", "delete d", "write e", "write y"],
      deleted: ["delete a", "delete build/", "delete ."],
      redirected: ["write a", "read b"],
      unknown: [
        "read x mentioned",
        "read ../y mentioned",
        "read z mentioned",
        "read /dev/sda mentioned",
        "write ../out",
      ],
      git: [
        "read show mentioned",
        "read .env mentioned",
        "read commit mentioned",
        "read config mentioned",
        "read core.pager mentioned",
        "read x mentioned",
        "write .git/config",
      ],
      globs: ["read /srv/*", "read src/*"],
      text: [],
    });
  });
});

describe("the hosts that a command names", () => {
  const hosts = (command: string) =>
    readCommand(command).commands.flatMap((simple) =>
      hostsNamedBy(simple).map(({ address, isMentioned }) => `${address}${isMentioned ? " mentioned" : ""}`),
    );

  it("are addresses, and the operands of programs that connect", () => {
    expect({
      curl: hosts("curl -H 'A: b' -o out https://a.example/x b.example"),
      plain: hosts("curl -s -o out.txt localhost:3000/health"),
      unknown: hosts("curl $URL"),
      other: hosts("git clone https://a.example/x; node x.js user@b.example:y"),
      shell: hosts("cat < /dev/tcp/a.example/80"),
      text: hosts("echo https://a.example"),
    }).toEqual({
      curl: ["https://a.example/x"],
      plain: ["localhost:3000/health"],
      unknown: ["undefined mentioned"],
      other: ["https://a.example/x mentioned", "user@b.example: mentioned"],
      shell: ["/dev/tcp/a.example/80"],
      text: [],
    });
  });
});
