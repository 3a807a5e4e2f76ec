import { expect, it } from "vitest";
import { decideOn, rules, testContext } from "../../test/support/policy/decide.ts";
import type { ToolAccess } from "../contract/access.ts";
import { readCommand } from "../engine/policy/commands/read-command.ts";
import { shellState } from "../engine/policy/commands/shell-state.ts";
import { pathsNamed } from "./parts.ts";

function verdictOn(command: string, cwd: string, lines: string): string {
  const access: ToolAccess = { kind: "execute", command, cwd };
  return decideOn([access], [rules(lines)]).verdict;
}

it("resolves the paths of a command from its starting directory", () => {
  const lines = "allow run cat **\nallow run tee **\ndeny write migrations/**\ndeny read deep/er/x";
  expect([
    verdictOn("cat a", "sub", lines),
    verdictOn("cat ../a", "sub", lines),
    verdictOn("cat ../../a", "sub", lines),
    verdictOn("cat x", "deep/er", lines),
    verdictOn("cat er/x", `${testContext.workspace}/deep/`, lines),
    verdictOn("cd er && cat x", "./deep", lines),
    verdictOn("tee 1.sql", "migrations", lines),
    verdictOn("cat passwd", "/etc", lines),
    verdictOn("cat id_rsa", "/home/ada/.ssh", lines),
    verdictOn("cat ../x", "deep/er/y", lines),
  ]).toEqual(["allow", "allow", "ask", "deny", "deny", "deny", "deny", "ask", "deny", "deny"]);
});

it("resolves paths in a persistent shell from its directory, or from the one the call sets", () => {
  const past = { commands: ["cd sub"], isWhole: true, cwd: `${testContext.workspace}/sub` };
  const shells = new Map([["main", shellState(past, testContext.workspace)]]);
  const lines = "allow run cat **\nallow run ls **\ndeny read deep/x";
  const verdict = (command: string, cwd?: string) =>
    decideOn(
      [{ kind: "execute", command, session: "main", ...(cwd !== undefined && { cwd }) }],
      [rules(lines)],
      { shells },
    ).verdict;
  expect([
    verdict("cat x"),
    verdict("cat ../deep/x"),
    verdict("cat x", "deep"),
    verdict("cat passwd", "/etc"),
    verdict("ls", "deep"),
  ]).toEqual(["allow", "deny", "deny", "ask", "allow"]);
});

it("allows nothing by a rule in a shell whose words may have got another meaning", () => {
  const lines = "allow run ls";
  const verdict = (commands: readonly string[], isWhole = true) => {
    const past = shellState({ commands, isWhole, cwd: testContext.workspace }, testContext.workspace);
    const access: ToolAccess = { kind: "execute", command: "ls", session: "main" };
    return decideOn([access], [rules(lines)], { mode: "safe", shells: new Map([["main", past]]) }).verdict;
  };
  expect([
    verdict(["cd sub", "npm test | tail"]),
    verdict(["ls() { evil; }"]),
    verdict(["alias ls=evil"]),
    verdict(["x=1; PATH=."]),
    verdict(["eval $X"]),
    verdict(["ls"], false),
  ]).toEqual(["allow", "ask", "ask", "ask", "ask", "ask"]);
});

it("lets git start below the workspace, whose settings it obeys, and nowhere else", () => {
  const lines = "allow run git status";
  expect(
    [".", "", "./", testContext.workspace, `${testContext.workspace}/`, "sub", "..", "sub/..", "/srv"].map(
      (cwd) => verdictOn("git status", cwd, lines),
    ),
  ).toEqual(["allow", "allow", "allow", "allow", "allow", "allow", "ask", "ask", "ask"]);
});

it("lets a program that runs code start below the workspace, and nowhere else", () => {
  const lines = "allow run make";
  expect(["sub", "sub/er", "..", "sub/../..", "/srv"].map((cwd) => verdictOn("make", cwd, lines))).toEqual([
    "allow",
    "allow",
    "ask",
    "ask",
    "ask",
  ]);
});

it("returns the paths to look up relative to the workspace", () => {
  const accesses: ToolAccess[] = [
    { kind: "execute", command: "cat a /b", cwd: "sub" },
    { kind: "execute", command: "cat a", cwd: "/srv" },
    { kind: "execute", command: "cat a", cwd: "x/.." },
  ];
  expect(pathsNamed(accesses, testContext, readCommand)).toEqual(["sub/a", "/b", "/srv/a", "x/../a"]);
});
