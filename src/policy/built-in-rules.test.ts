import { expect, it } from "vitest";
import { decide } from "../../test/support/policy/decide.ts";
import { builtInRules } from "./built-in-rules.ts";
import { compilePolicy } from "./rules/compile-policy.ts";

const policyIn = (workspace: string) =>
  compilePolicy([builtInRules], { workspace, home: "/home/ada", own: [] });
const [project, home] = [policyIn("/home/ada/work"), policyIn("/home/ada")];

function verdictOn(path: string, policy = project) {
  const tool = { name: "file.write", risk: "write" } as const;
  const accesses = [{ kind: "write", path } as const];
  return decide({ mode: "cautious", tool, accesses, sandbox: "bwrap", realPaths: new Map() }, policy).verdict;
}

it.each([
  ...[".devcontainer.json", "lefthook-local.yml", ".lefthook-local.toml", ".gitpod.yml", ".hg/hgrc"],
  ...["mise.toml", ".mise.toml", "mise.local.toml", ".kilocode/mcp.json", ".trae/mcp.json", "crush.json"],
  ...[".factory/settings.json", ".venv/bin/activate", "api/venv/bin/activate.fish", ".amp/settings.json"],
  ...[".openhands/setup.sh", ".aider.conf.yml", "sub/.devcontainer.json", ".qoder/settings.json"],
])("asks before a write to %s", (path) => {
  expect(verdictOn(path)).toBe("ask");
});

it.each(["package.json", "Makefile", "conftest.py", "CLAUDE.md", "AGENTS.md", "src/conftest.py"])(
  "lets tools write %s, which is the work itself",
  (path) => {
    expect(verdictOn(path)).toBe("allow");
  },
);

it("asks before a write to what shells and desktops run, where the workspace is the home folder", () => {
  const paths = [".bash_aliases", ".local/bin/git", "bin/ls", ".config/autostart/x.desktop", ".xprofile"];
  const inProject = paths.map((path) => verdictOn(path));
  const inHome = paths.map((path) => verdictOn(path, home));
  expect([inHome, inProject]).toEqual([paths.map(() => "ask"), paths.map(() => "allow")]);
});
