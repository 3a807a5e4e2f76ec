/**
 * Prepares a release, and refuses while anything is not ready: `node scripts/release.ts 0.2.0`. It tests a fresh clone,
 * dates the changelog, sets the version, commits and tags. It pushes and publishes nothing: the tag starts the workflow
 * `release`, which builds the files and publishes them with provenance.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageDescription from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");

main(process.argv.slice(2));

function main([version, ...rest]: readonly string[]): void {
  if (version === undefined || rest.length > 0 || !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
    console.error("Name the new version: npm run release -- 0.2.0");
    process.exitCode = 2;
    return;
  }
  const reasons = reasonsAgainst(version);
  if (reasons.length > 0) {
    console.error(
      `Version ${version} was not released:\n${reasons.map((reason) => `- ${reason}\n`).join("")}`,
    );
    process.exitCode = 1;
    return;
  }
  testClone();
  const changelog = join(root, "CHANGELOG.md");
  const today = new Date().toISOString().slice(0, 10);
  const text = readFileSync(changelog, "utf8");
  writeFileSync(
    changelog,
    text.replace("## [Unreleased]\n", `## [Unreleased]\n\n## [${version}] - ${today}\n`),
  );
  // The first release has the version that package.json already has.
  const flags = ["--allow-same-version", "--no-git-tag-version", "--ignore-scripts"];
  run("npm", ["version", ...flags, version]);
  for (const manifest of ["gemini-extension.json", "packaging/claude-plugin/.claude-plugin/plugin.json"]) {
    const file = join(root, manifest);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(packageDescription.version, version));
  }
  run("git", ["commit", "--quiet", "--all", "--message", `Release ${version}`]);
  run("git", ["tag", "--annotate", `v${version}`, "--message", `Toolcrib ${version}`]);
  console.log(`Tagged v${version}. To publish it: git push --follow-tags`);
}

function reasonsAgainst(version: string): readonly string[] {
  const reasons: string[] = [];
  if (run("git", ["status", "--porcelain"]) !== "") reasons.push("there are uncommitted changes: git status");
  if (run("git", ["branch", "--show-current"]) !== "main")
    reasons.push("the branch is not main: git switch main");
  if (run("git", ["tag", "--list", `v${version}`]) !== "") reasons.push(`the tag v${version} exists`);
  if (version === packageDescription.version && run("git", ["tag", "--list"]) !== "")
    reasons.push(`package.json already has version ${version}`);
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  if (!/^## \[Unreleased\]\n+### /m.test(changelog))
    reasons.push('CHANGELOG.md has nothing under "Unreleased"');
  return reasons;
}

/** Runs the tests of CI with many rounds in a fresh clone, because a used one hides missing steps. */
function testClone(): void {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-release-"));
  try {
    run("git", ["clone", "--quiet", root, join(folder, "clone")]);
    execFileSync("bash", [".ci/run"], {
      cwd: join(folder, "clone"),
      env: { ...process.env, ROUNDS: "8" },
      stdio: "inherit",
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, words: readonly string[]): string {
  return execFileSync(program, words, { cwd: root, encoding: "utf8" }).trim();
}
