import { describe, expect, it } from "vitest";
import { checkerAccesses, checkers, formatterAccesses, formatters } from "./known-tools.ts";

const commands = (accesses: ReturnType<typeof formatterAccesses>) => accesses.map(({ command }) => command);

describe("the announced commands of a call", () => {
  it("are exactly those that may format the file", () => {
    expect(formatterAccesses("src/a.py")).toEqual([
      { kind: "execute", command: "dprint fmt --stdin src/a.py" },
      { kind: "execute", command: "ruff format --stdin-filename src/a.py -" },
      { kind: "execute", command: "black --quiet --stdin-filename src/a.py -" },
      { kind: "execute", command: "yapf" },
      { kind: "execute", command: "autopep8 -" },
    ]);
  });

  it("are exactly those that may check the file", () => {
    expect(commands(checkerAccesses("src/main.rs"))).toEqual(["cargo check --quiet --message-format short"]);
    expect(commands(checkerAccesses("a.php"))).toEqual([
      "phpstan analyse --no-progress --error-format=raw a.php",
      "psalm --no-progress --output-format=text",
      "php -l a.php",
    ]);
  });

  it("contain the path as one argument that cannot be an option", () => {
    expect(commands(checkerAccesses("it's; rm -rf $HOME/x.sh"))).toEqual([
      "shellcheck --format gcc 'it'\\''s; rm -rf $HOME/x.sh'",
      "bash -n 'it'\\''s; rm -rf $HOME/x.sh'",
    ]);
    expect(commands(checkerAccesses("-c.sh"))).toEqual([
      "shellcheck --format gcc ./-c.sh",
      "bash -n ./-c.sh",
    ]);
  });

  it("are empty for files without a formatter or checker", () => {
    expect([...formatterAccesses("a.xyz"), ...checkerAccesses("rs"), ...checkerAccesses(".rs")]).toEqual([]);
  });

  it("are chosen by file extension or full name", () => {
    expect(commands(formatterAccesses("deep/CMakeLists.txt"))).toEqual(["gersemi -", "cmake-format -"]);
    expect(commands(formatterAccesses("deep/A.GO"))).toEqual(["gofumpt", "goimports", "gofmt"]);
  });
});

it("lists each command once", () => {
  for (const tools of [formatters, checkers]) {
    const named = tools.map(({ command, files }) => `${command} for ${files}`);
    expect(named).toEqual([...new Set(named)]);
  }
});
