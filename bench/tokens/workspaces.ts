import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { linkTree } from "../../test/support/language-servers/served-project.ts";

export type WorkspaceName = "zod" | "service" | "shop";

/** Writes a workspace into a new folder. The same every time: dates, names and contents are fixed. */
export function writeWorkspace(name: WorkspaceName, folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q", "-b", "main");
  if (name === "zod") writeZod(folder);
  else if (name === "shop") writeShop(folder);
  else writeService(folder);
}

const packages = fileURLToPath(new URL("../../node_modules/", import.meta.url));

/** The sources of the installed zod, without its tests. */
function writeZod(folder: string): void {
  const from = join(packages, "zod/src/v4");
  cpSync(from, join(folder, "src"), { recursive: true, filter: (path) => !path.includes("/tests") });
  cpSync(join(packages, "zod/package.json"), join(folder, "package.json"));
  commit(folder, "Import the sources", 0);
}

/** A shop in TypeScript with its compiler: two classes have a method of the same name, and 30 modules use one of them. */
function writeShop(folder: string): void {
  for (const title of ["Basket", "Crate"])
    write(
      folder,
      `src/${title.toLowerCase()}.ts`,
      `/** A ${title.toLowerCase()} of names. */\nexport class ${title} {\n  readonly #names: string[] = [];\n\n  add(name: string): void {\n    this.#names.push(name);\n  }\n\n  size(): number {\n    return this.#names.length;\n  }\n}\n`,
    );
  for (let number = 10; number < 40; number += 1) write(folder, `src/use-${number}.ts`, useText(number));
  const options = { module: "nodenext", strict: true, noEmit: true };
  write(folder, "tsconfig.json", JSON.stringify({ compilerOptions: options, include: ["src"] }));
  write(folder, "package.json", '{ "name": "shop", "type": "module" }\n');
  write(folder, ".gitignore", "node_modules\n");
  for (const name of ["typescript", "@typescript"])
    linkTree(join(packages, name), join(folder, "node_modules", name));
  commit(folder, "Add the shop", 0);
}

function useText(number: number): string {
  const title = number % 3 === 0 ? "Basket" : "Crate";
  const lines = Array.from(
    { length: 15 },
    (_, line) =>
      `/** ${sentence(number * 15 + line)}. */\nexport function use${number}Step${line}(value: number): number {\n  return value * ${line + 1};\n}\n`,
  );
  return `import type { ${title} } from "./${title.toLowerCase()}.js";\n\n${lines.join("\n")}\nexport function use${number}(held: ${title}): number {\n  held.add("name ${number}");\n  return held.size() + ${number};\n}\n`;
}

/** Modules of the service, in the order of their files. */
export const modules: readonly string[] = Array.from({ length: 30 }, (_, index) => `module-${index + 10}`);

/** A generated service: modules that share a function, tests with long output, a build log, and 40 commits. */
function writeService(folder: string): void {
  write(
    folder,
    "src/shared/total.js",
    "export function sumTotal(values) {\n  return values.reduce((a, b) => a + b, 1);\n}\n",
  );
  for (const [index, name] of modules.entries()) write(folder, `src/${name}.js`, moduleText(name, index));
  write(folder, "src/table.js", tableText());
  write(folder, "test/run.js", testText());
  write(folder, "build.log", logText());
  write(
    folder,
    "package.json",
    '{ "name": "service", "type": "module", "scripts": { "test": "node test/run.js" } }\n',
  );
  commit(folder, "Add the service", 0);
  for (let number = 1; number <= 40; number += 1) {
    const name = modules[number % modules.length]!;
    write(
      folder,
      `src/${name}.js`,
      `${moduleText(name, number % modules.length)}// Revision ${number}: ${sentence(number)}\n`,
    );
    commit(
      folder,
      number === 23 ? "Change the default timeout to 30 s" : `Revise ${name} (${sentence(number)})`,
      number,
    );
  }
}

function moduleText(name: string, index: number): string {
  const title = name.replace("-", "");
  const lines = Array.from(
    { length: 60 },
    (_, line) =>
      `/** ${sentence(index * 60 + line)}. */\nexport function ${title}Step${line}(value) {\n  return value * ${line + 1} + ${index};\n}\n`,
  );
  const uses =
    index % 3 === 0
      ? `\nexport function ${title}Total(values) {\n  return sumTotal(values) + ${index};\n}\n`
      : "";
  const imports = index % 3 === 0 ? 'import { sumTotal } from "./shared/total.js";\n\n' : "";
  return `${imports}/** The limit of ${name}. */\nexport const ${title}Limit = ${1000 + index * 17};\n\n${lines.join("\n")}${uses}`;
}

/** A long file with numbered rows. */
function tableText(): string {
  const rows = Array.from(
    { length: 2_500 },
    (_, row) => `  { id: ${row}, label: "${sentence(row)}", weight: ${(row * 7919) % 1000} },`,
  );
  return `export const table = [\n${rows.join("\n")}\n];\n`;
}

/** Prints a line per check, as test runners do, and a failure in the middle. */
function testText(): string {
  return `import { sumTotal } from "../src/shared/total.js";
let failures = 0;
for (let number = 1; number <= 1200; number += 1) {
  const isSum = number === 700;
  const right = !isSum || sumTotal([1, 2, 3]) === 6;
  console.log((right ? "ok " : "not ok ") + number + " - service part " + (number % 37) + " answers request " + number + " within its limit");
  if (!right) {
    failures += 1;
    console.log("  AssertionError: sumTotal([1, 2, 3]) is " + sumTotal([1, 2, 3]) + ", expected 6");
    console.log("    at test/run.js, function sumTotal of src/shared/total.js");
  }
}
console.log("# failures " + failures);
process.exitCode = failures > 0 ? 1 : 0;
`;
}

function logText(): string {
  const lines = Array.from({ length: 4_000 }, (_, line) => {
    if (line === 2_345) return `[${line}] ERROR cannot resolve "./missing-part.js" from src/module-17.js`;
    return `[${line}] info compiled ${modules[line % modules.length]} in ${(line * 31) % 97} ms, ${sentence(line)}`;
  });
  return `${lines.join("\n")}\n`;
}

const words =
  "queue worker token cache limit reader parser record entry update branch result filter window buffer".split(
    " ",
  );

function sentence(seed: number): string {
  return Array.from(
    { length: 6 },
    (_, index) => words[(seed * 7 + index * index * 3 + index) % words.length],
  ).join(" ");
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function commit(folder: string, title: string, number: number): void {
  git(folder, "add", "-A");
  const date = new Date(Date.UTC(2026, 0, 1 + number)).toISOString();
  const author = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"];
  execFileSync("git", [...author, "commit", "-q", "-m", title], {
    cwd: folder,
    env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  });
}

function git(folder: string, ...words: readonly string[]): void {
  execFileSync("git", [...words], { cwd: folder, stdio: "ignore" });
}

/** Files of a folder of the installed zod. */
export function zodFiles(under: string): readonly string[] {
  return readdirSync(join(packages, "zod/src/v4", under))
    .filter((name) => name.endsWith(".ts"))
    .sort();
}
