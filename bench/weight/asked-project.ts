import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const files: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "project", version: "1.0.0", scripts: { test: "vitest", build: "tsc", lint: "eslint .", dev: "node server.js" } })}\n`,
  "tsconfig.json": "{}\n",
  "README.md": "# Project\n",
  "CHANGELOG.md": "# Changes\n",
  ".gitignore": "node_modules/\ndist/\nbuild/\n.env\n",
  ".env": "TOKEN=secret\n",
  Makefile: "test:\n\techo ok\n",
  "Cargo.toml": '[package]\nname = "project"\nversion = "1.0.0"\n',
  "go.mod": "module example.com/project\n",
  "requirements.txt": "pytest\n",
  "app.py": "print(1)\n",
  "data.csv": "a,1\nb,2\n",
  "files.txt": "src/a.ts\n",
  "fix.diff": "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-export const a = 1;\n+export const a = 2;\n",
  "src/index.ts": 'import { a } from "./a.ts";\nconsole.log(a);\n',
  "src/a.ts": "export const a = 1;\n",
  "src/old.ts": "export const old = 1;\n",
  "src/router/index.ts": "export const routes = [];\n",
  "src/templates/page.html": "<p></p>\n",
  "tests/test_api.py": "def test_api():\n    assert True\n",
  "scripts/run.sh": "echo run\n",
  "scripts/generate.js": "console.log(1);\n",
  "packages/core/package.json": '{ "name": "core", "scripts": { "test": "true" } }\n',
  "cmd/app/main.go": "package main\n\nfunc main() {}\n",
};

/** A small repository with the files that bench/data/commands.txt names. Returns its folder. */
export function writeAskedProject(folder: string): string {
  if (existsSync(join(folder, ".git"))) return folder;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  const author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
  git("init", "--quiet", "-b", "main");
  git("add", "--all");
  git(...author, "commit", "--quiet", "-m", "Everything");
  git(...author, "commit", "--quiet", "--allow-empty", "-m", "More");
  return folder;
}
