import type { ScriptedModel } from "./scripted-model.ts";
import { modules, type WorkspaceName, zodFiles } from "./workspaces.ts";

/** A task and the way in which the scripted model solves it. Its answer must be the same with every feature on or off. */
export interface Task {
  readonly name: string;
  readonly workspace: WorkspaceName;
  readonly prompt: string;
  /** Default: "none". Language servers run only in a sandbox. */
  readonly sandbox?: "auto" | "none";
  readonly solve: (work: ScriptedModel) => Promise<string>;
}

export const tasks: readonly Task[] = [
  {
    name: "find a function and its users",
    workspace: "zod",
    prompt: "Where is flattenError defined, what does it return, and which files use it?",
    solve: async (work) => {
      const found = await work.call("search.grep", { pattern: "function flattenError", path: "src" });
      const line = Number(/errors\.ts:(\d+)/.exec(found)?.[1] ?? /(\d+)[:|]/.exec(found)?.[1]);
      const code = await work.call("file.read", { path: "src/core/errors.ts", offset: line, limit: 25 });
      const users = await work.call("search.grep", { pattern: "flattenError", path: "src" });
      const files = [...new Set(users.match(/src\/[\w/.-]+\.ts/g))].sort();
      return `${line} ${/fieldErrors/.test(code)} ${files.join(" ")}`;
    },
  },
  {
    name: "read one class of a large file",
    workspace: "zod",
    prompt: "How does $ZodRecord check keys?",
    solve: async (work) => {
      const outline = await work.call("search.grep", {
        pattern: "\\$ZodRecord\\b",
        path: "src/core/schemas.ts",
      });
      const line = Number(/:(\d+):export const \$ZodRecord/.exec(outline)?.[1]);
      const code = await work.call("code.read_symbol", {
        path: "src/core/schemas.ts",
        name: "$ZodRecord",
        line_hint: line,
      });
      return `${line} ${await work.find(/unrecognized_keys/, code)}`;
    },
  },
  {
    name: "read 60 files, then recall three of the first",
    workspace: "zod",
    prompt:
      "Read all sources of core, classic and the locales, and name the imports of three files that I name at the end.",
    solve: async (work) => {
      const core = zodFiles("core").filter((name) => !/^(schemas|compile)\.ts$/.test(name));
      const paths = [
        ...core.map((name) => `src/core/${name}`),
        ...zodFiles("classic").map((name) => `src/classic/${name}`),
        ...zodFiles("locales").map((name) => `src/locales/${name}`),
      ].slice(0, 60);
      const numbers = new Map<string, number>();
      for (let start = 0; start < paths.length; start += 2) {
        const pair = paths.slice(start, start + 2);
        await work.calls(pair.map((path) => ["file.read", { path }]));
        for (const [index, path] of pair.toReversed().entries()) numbers.set(path, work.lastCall - index);
      }
      const wanted = ["src/core/doc.ts", "src/core/registries.ts", "src/core/parse.ts"];
      const lines: string[] = [];
      for (const path of wanted)
        lines.push(await work.find(/(?:import|export) [^\n]*/, work.shown(numbers.get(path)!)));
      return lines.map((line) => line.replace(/^\W*\d+\W+/, "")).join("; ");
    },
  },
  {
    name: "fix a failing test",
    workspace: "service",
    prompt: "The tests fail. Fix the bug.",
    solve: async (work) => {
      const failed = await work.call("shell.run", { command: "npm test --silent" });
      const error = await work.find(/AssertionError: [^\n]*/, failed);
      const source = await work.call("search.grep", { pattern: "function sumTotal", path: "src" });
      const [path = ""] = /src\/[\w/.-]+\.js/.exec(source) ?? [];
      await work.call("file.read", { path });
      await work.call("edit.replace", { path, find: "a + b, 1)", replace: "a + b, 0)" });
      const passed = await work.call("shell.run", { command: "npm test --silent" });
      return `${error} ${path} ${await work.find(/# failures \d+/, passed)}`;
    },
  },
  {
    name: "find the error in a build log",
    workspace: "service",
    prompt: "Why did the build fail? The log is build.log. Then check the module that it names.",
    solve: async (work) => {
      const log = await work.call("shell.run", { command: "cat build.log" });
      const error = await work.find(/ERROR [^\n]*/, log);
      const [path = ""] = /src\/[\w.-]+\.js/.exec(error) ?? [];
      const module = await work.call("search.grep", { pattern: "^import|missing-part", path });
      const users = await work.call("search.grep", { pattern: "missing-part", path: "src" });
      return `${error} ${/missing-part/.test(module)} ${/Nothing in/.test(users)}`;
    },
  },
  {
    name: "find a commit in the history",
    workspace: "service",
    prompt: "Which commit changed the default timeout, and what did it change?",
    solve: async (work) => {
      const log = await work.call("git.log", { limit: 50 });
      const line = await work.find(/[^\n]*default timeout[^\n]*/, log);
      const [commit = ""] = /[0-9a-f]{7,40}/.exec(line) ?? [];
      const shown = await work.call("git.show", { revision: commit });
      return (await work.find(/\+\/\/ Revision 23: [^\n]*/, shown)).replace(/^\+/, "");
    },
  },
  {
    name: "collect one value from 45 files",
    workspace: "zod",
    prompt: "Make a table of the unit that each locale uses for the size of a string.",
    solve: async (work) => {
      const names = zodFiles("locales")
        .filter((name) => name !== "index.ts")
        .slice(0, 45);
      const pattern = 'string: \\{ unit: "([^"]*)"';
      if (work.uses.has("scripts"))
        return await work.call("tools.script", { script: unitsScript(names, pattern) });
      const units: string[] = [];
      for (let start = 0; start < names.length; start += 5) {
        const batch = names.slice(start, start + 5);
        const texts = await work.calls(batch.map((name) => ["file.read", { path: `src/locales/${name}` }]));
        for (const [index, text] of texts.entries())
          units.push(`${batch[index]} ${new RegExp(pattern).exec(text)?.[1] ?? "-"}`);
      }
      return units.join("\n");
    },
  },
  {
    name: "rename a function",
    workspace: "service",
    prompt: "Rename sumTotal to addUp everywhere, and run the tests.",
    solve: async (work) => {
      const found = await work.call("search.grep", { pattern: "\\bsumTotal\\b", limit: 100 });
      const paths = [...new Set(found.match(/(?:src|test)\/[\w/.-]+\.js/g))].sort();
      const edits = paths.map(
        (path) => ["edit.replace", { path, find: "sumTotal", replace: "addUp", all: true }] as const,
      );
      for (let start = 0; start < edits.length; start += 6) await work.calls(edits.slice(start, start + 6));
      const left = await work.call("search.grep", { pattern: "\\bsumTotal\\b" });
      const tests = await work.call("shell.run", { command: "npm test --silent" });
      return `${paths.length} ${/Nothing in/.test(left)} ${await work.find(/# failures \d+/, tests)}`;
    },
  },
  {
    name: "rename a method that two classes have",
    workspace: "shop",
    prompt: "Rename the method size of Basket to count everywhere, and check that the project compiles.",
    sandbox: "auto",
    solve: async (work) => {
      if (work.uses.has("language servers")) {
        const found = await work.call("search.grep", { pattern: "class Basket", path: "src" });
        const path = await work.find(/src\/[\w-]+\.ts/, found);
        await work.call("code.rename", { path, name: "size", new_name: "count" });
      } else {
        // A call does not name its class, so the files that use the class decide.
        const users = await work.call("search.grep", { pattern: "\\bBasket\\b", path: "src", limit: 100 });
        const paths = new Set(users.match(/src\/[\w-]+\.ts/g));
        const found = await work.call("search.grep", { pattern: "\\bsize\\(", path: "src", limit: 100 });
        const calls = [...new Set(found.match(/src\/[\w-]+\.ts/g))].filter((path) => paths.has(path)).sort();
        const edits = calls.map(
          (path) => ["edit.replace", { path, find: "size()", replace: "count()" }] as const,
        );
        for (let start = 0; start < edits.length; start += 6) await work.calls(edits.slice(start, start + 6));
      }
      const command =
        "node node_modules/typescript/bin/tsc --noEmit && echo compiles; grep -c 'count()' src/*.ts | grep -c :1";
      const checked = await work.call("shell.run", { command });
      return `${await work.find(/^\d+/m, checked)} ${/^compiles/m.test(checked)}`;
    },
  },
  {
    name: "change eight rows of a long file",
    workspace: "service",
    prompt: "Set the weight of the rows 100, 400, 700, … 2200 of src/table.js to 5.",
    solve: async (work) => {
      const rows = [100, 400, 700, 1_000, 1_300, 1_600, 1_900, 2_200];
      for (const row of rows) {
        const shown = await work.call("file.read", { path: "src/table.js", offset: row, limit: 5 });
        const line = await work.find(new RegExp(`\\{ id: ${row},[^\\n]*`), shown);
        await work.call("edit.replace", {
          path: "src/table.js",
          find: line,
          replace: line.replace(/weight: \d+/, "weight: 5"),
        });
      }
      const count = await work.call("shell.run", { command: "grep -c 'weight: 5 ' src/table.js" });
      return await work.find(/^\d+/m, count);
    },
  },
  {
    name: "delete five blocks of a long file",
    workspace: "service",
    prompt: "Delete the rows 200 to 229, 600 to 629, … 1800 to 1829 of src/table.js.",
    solve: async (work) => {
      // From the end, so that the numbers of the other lines stay.
      for (const row of [1_800, 1_400, 1_000, 600, 200]) {
        const range = { path: "src/table.js", offset: row + 2, limit: 30 };
        if (work.uses.has("anchors")) {
          const shown = await work.call("file.read", { ...range, anchors: true });
          const anchors = shown.match(/^\s*\d+:\w+(?=\|)/gm) ?? [];
          const edit = { op: "delete", from: anchors[0]?.trim(), to: anchors.at(-1)?.trim() };
          await work.call("edit.anchored", { path: "src/table.js", edits: [edit] });
        } else {
          const shown = await work.call("file.read", { ...range, line_numbers: false });
          const [old = ""] = /(?: {2}\{ id: [^\n]*\n)+/.exec(`${shown}\n`) ?? [];
          await work.call("edit.replace", { path: "src/table.js", find: old, replace: "" });
        }
      }
      const left = await work.call("shell.run", { command: "wc -l < src/table.js; md5sum < src/table.js" });
      return await work.find(/\d+\s+\w{32}/, left);
    },
  },
  {
    name: "25 rounds of editing and testing",
    workspace: "service",
    prompt: "Try the limits 1 to 12 in src/module-10.js and run the tests after each.",
    solve: async (work) => {
      await work.call("file.read", { path: "src/module-10.js" });
      if (work.uses.has("scripts")) return await work.call("tools.script", { script: limitsScript });
      let last = "1000";
      const results: string[] = [];
      for (let value = 1; value <= 12; value += 1) {
        await work.call("edit.replace", {
          path: "src/module-10.js",
          find: `module10Limit = ${last};`,
          replace: `module10Limit = ${value};`,
        });
        last = String(value);
        const tests = await work.call("shell.run", { command: "npm test --silent" });
        results.push(await work.find(/# failures \d+/, tests));
      }
      return results.join(" ");
    },
  },
  {
    name: "calculate with a tool that is not listed",
    workspace: "service",
    prompt: "What is the sum of the limits of the first three modules, times 1.19?",
    solve: async (work) => {
      const found = await work.call("search.grep", { pattern: "Limit = \\d+", limit: 100 });
      const limits = modules.slice(0, 3).map((name) => {
        const line = new RegExp(`${name.replace("-", "")}Limit = (\\d+)`).exec(found);
        return line?.[1] ?? "?";
      });
      const result = await work.call("math.calculate", { expression: `(${limits.join(" + ")}) * 1.19` });
      return await work.find(/[\d.]+/, result);
    },
  },
];

/** A program that collects a value from each file, as a model would write it. */
function unitsScript(names: readonly string[], pattern: string): string {
  return `const units = [];
for (const name of ${JSON.stringify(names)}) {
  const { text } = await tools.file.read({ path: "src/locales/" + name });
  units.push(name + " " + (/${pattern}/.exec(text)?.[1] ?? "-"));
}
return units.join("\\n");`;
}

/** A program that edits and tests in a loop. */
const limitsScript = `const path = "src/module-10.js";
const results = [];
let last = 1000;
for (let value = 1; value <= 12; value += 1) {
  await tools.edit.replace({ path, find: "module10Limit = " + last + ";", replace: "module10Limit = " + value + ";" });
  last = value;
  const { text } = await tools.shell.run({ command: "npm test --silent" });
  results.push(/# failures \\d+/.exec(text)[0]);
}
return results.join(" ");`;
