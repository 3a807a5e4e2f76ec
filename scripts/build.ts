/**
 * Builds dist/ from src/: the library, the command line, the page of the console, the worker programs with their grammars and
 * PDFium, the programs for targets, the Perl programs of sandboxes, the type declarations, and the licences of bundled packages. `--quick`, which
 * `npm ci` runs, leaves the declarations unchanged and never fails: without a build the launcher runs the source.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { BuildOptions, OutputAsset, OutputChunk, Plugin } from "rolldown";
import packageDescription from "../package.json" with { type: "json" };
import { quickjsFile } from "../src/script/thread/quickjs-file.ts";
import { pageScript, viewScript, writePageFiles } from "./build-page.ts";
import { copyBootstrap, targetPrograms } from "./build-target.ts";
import { collectLicences } from "./collect-licences.ts";
import { packGrammars } from "./pack-grammars.ts";
import { packPdfium } from "./pack-pdfium.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const fresh = join(root, `node_modules/.cache/build-${process.pid}`);
const isQuick = process.argv.includes("--quick");
// npm runs `prepare` after `prepack`, which has built everything.
if (isQuick && /^(?:pack|publish)$/.test(process.env["npm_command"] ?? "")) process.exit();

/** Modules whose exports are plain data that takes time to compute: the build computes them. */
const computed: Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>> = {
  "src/policy/rules/parsed-built-in-rules.ts": () => import("../src/policy/rules/parsed-built-in-rules.ts"),
  "src/dialects/described-tools.ts": async () => ({ describedTools: await describeTools() }),
};

const shared = {
  cwd: root,
  plugins: [
    {
      name: "compute",
      load: async (module: string) => {
        const compute = computed[relative(root, module)];
        return compute && exportsAsData(await compute());
      },
    },
  ],
  platform: "node",
  // zod is bundled, because finding its many files would take longer than running all our own code.
  external: [/^node:/, "@vscode/ripgrep", "@opentelemetry/api", "bullmq", "pg"],
  // Its other form finds its parts by a `require` that the bundler cannot follow.
  resolve: { alias: { "jsonc-parser": join(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
  logLevel: "warn",
} satisfies BuildOptions;

/** The modules that the package exports: `dist/openai.js` is `src/adapters/openai.ts`. */
const entries = Object.values(packageDescription.exports).flatMap((entry) => {
  if (typeof entry === "string") return [];
  const name = basename(entry.default, ".js");
  const [module] = globSync([`{adapters,compat}/${name}.ts`, `${name}/index.ts`], { cwd: join(root, "src") });
  return [{ name, module: module!.replace(/\.ts$/, "") }];
});

/** The SDKs of model providers, which the library and the command line share. Each is loaded when a model is opened. */
const sdkNames = [
  "@ai-sdk/anthropic",
  "@ai-sdk/google",
  "@ai-sdk/openai",
  "@ai-sdk/openai-compatible",
  "ollama",
];
const sdks: BuildOptions = {
  ...shared,
  input: Object.fromEntries(sdkNames.map((name) => [basename(name), name])),
  output: {
    dir: join(fresh, "sdks"),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    minify: true,
    codeSplitting: { groups: [{ name: "zod", test: /node_modules\/zod\// }] },
  },
};

const external = [...shared.external, ...sdkNames];
const paths = Object.fromEntries(sdkNames.map((name) => [name, `../sdks/${basename(name)}.js`]));

const library: BuildOptions = {
  ...shared,
  external,
  input: Object.fromEntries(entries.map(({ name, module }) => [name, `src/${module}.ts`])),
  output: {
    dir: fresh,
    format: "esm",
    entryFileNames: "library/[name]-entry.js",
    chunkFileNames: "library/[name].js",
    // A third smaller. Stack traces keep the names of functions.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    paths,
    // In one file: split into chunks that import each other, it would be used before it is loaded. Only JSON Schemas of the
    // program need the rest.
    codeSplitting: { groups: [{ name: "zod", test: /node_modules\/zod\/v4\/(?:core|mini)\// }] },
  },
};

const nodeCheck: BuildOptions = {
  ...shared,
  input: { "check-node": "src/lib/check-node.ts" },
  output: { dir: fresh, format: "esm", entryFileNames: "[name].js" },
};

const ownImport = /^(?:import|export) (?!type )([^";]*?) from "(\.[^"]+)"/gm;
const isOfEdits = /src\/(?:tools\/)?edit\//;
const isOfCommands = /src\/engine\/policy\/commands\/(?:read-command|wrappers)|node_modules\/unbash\//;
const isOfSandbox =
  /src\/(?:engine\/)?sandbox\/(?!proof\/)|src\/environment\/(?:shells|local\/processes\/(?!run-records))|src\/processes\/(?!open-)/;
const isOfCode = /src\/(?:code|tools\/code)\//;
const isOfDocuments = /src\/(?:documents|tools\/(?:document|notebook))\//;
const isOfGit = /src\/(?:git|tools\/git)\//;
const isOfWeb = /src\/(?:web|tools\/web|environment\/web)\/|node_modules\/(?:htmlparser2|entities|dom\w+)\//;
const isOfNetwork = /src\/system\/network-policy/;
const isOfWorkers = /src\/workers\//;
const isOfDefinitions = /node_modules\/zod\/v4\/core\/(?:to-json-schema|json-schema-)[^?]*$/;
const isOfZod = /\/node_modules\/zod\//;
const otherCopy = "?other";
const isOfEveryZod = /node_modules\/zod\/v4\/(?:core|mini)\/[^?]*$/;

/**
 * Gives packages such as the MCP SDKs, and code that imports `zod` itself, a separate copy of zod, because they need all of it.
 * If calls shared that copy, every call would load all of it. Schemas of both copies work together.
 */
const otherZod: Plugin = {
  name: "other-zod",
  async resolveId(source, importer) {
    const isOfPackage = importer?.includes("/node_modules/") && !isOfZod.test(importer);
    if (importer === undefined || !(isOfPackage || source === "zod" || importer.endsWith(otherCopy))) return;
    const resolved = await this.resolve(source, fileOf(importer), { skipSelf: true });
    return resolved && isOfZod.test(resolved.id) ? `${resolved.id}${otherCopy}` : resolved;
  },
  load: (module) => (module.endsWith(otherCopy) ? readFileSync(fileOf(module), "utf8") : undefined),
};

/** The modules that every call loads, however little it does, and those that read its arguments from flags. */
const plainCall = modulesOf([
  "src/cli/tool-fields.ts",
  "src/toolcrib/open-toolcrib.ts",
  "src/dialects/toolcrib.ts",
  "src/tools/file/read.ts",
]);

/** The descriptions of all commands, which everything but a call loads. */
const otherCommands = modulesOf(["src/cli/commands/commands.ts", "src/cli/help.ts"]);

/**
 * CommonJS, minified and in few files, because it starts fastest: importing a built-in module from ESM evaluates all
 * of its lazy parts (5 ms for node:fs alone). The code that every command needs is
 * one file, the code that all calls need another, and the descriptions of the other commands a third.
 */
const commandLine: BuildOptions = {
  ...shared,
  plugins: [...shared.plugins, otherZod],
  external,
  input: { cli: "src/cli/main.ts" },
  // Commands import each other's descriptions lazily only to avoid a cycle.
  checks: { ineffectiveDynamicImport: false },
  // No module imports it.
  preserveEntrySignatures: false,
  output: {
    dir: fresh,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "cli/[name].cjs",
    paths,
    minify: true,
    codeSplitting: {
      // Otherwise a group would include modules that others need more often, and they would load it. Chunks must not
      // form a cycle.
      includeDependenciesRecursively: false,
      groups: [
        { name: "start", tags: ["$initial"], priority: 3 },
        { name: "definitions", test: isOfDefinitions, priority: 3 },
        {
          name: "call",
          test: (path) => plainCall.has(path) || (isOfEveryZod.test(path) && !isOfDefinitions.test(path)),
          priority: 3,
        },
        { name: "other-commands", test: (path) => otherCommands.has(path), priority: 3 },
        // Only calls that run something parse commands.
        { name: "commands", test: isOfCommands, priority: 2 },
        // The edit tools share an engine that no other call needs.
        { name: "edit", test: isOfEdits, minShareCount: 2, priority: 1 },
        // Only calls that read code start the parser.
        { name: "code", test: isOfCode, minShareCount: 2 },
        { name: "documents", test: isOfDocuments, minShareCount: 2 },
        { name: "git", test: isOfGit, minShareCount: 2 },
        { name: "web", test: isOfWeb, minShareCount: 2 },
        { name: "network", test: isOfNetwork, minShareCount: 2, priority: 1 },
        { name: "workers", test: isOfWorkers, minShareCount: 2, priority: 1 },
        // Loaded when the first program is started. Only doctor proves the sandbox.
        { name: "sandbox", test: isOfSandbox, minShareCount: 2 },
      ],
    },
  },
};

/**
 * The worker programs that parse code and read documents, which the library and the command line start as processes, and the
 * thread that runs scripts.
 */
const workers: readonly BuildOptions[] = [
  { folder: "code-worker", program: "src/code/worker/main.ts" },
  { folder: "document-worker", program: "src/documents/worker/main.ts" },
  { folder: "script-thread", program: "src/script/thread/main.ts" },
].map(({ folder, program }) => ({
  ...shared,
  input: { main: program },
  // web-tree-sitter has it for grammars that contain JavaScript; none does.
  checks: { eval: false },
  output: {
    dir: join(fresh, folder),
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: true,
  },
}));

try {
  await buildAll();
} catch (error) {
  if (!isQuick) throw error;
  console.warn(`dist/ was not built, so the source will be run instead: ${(error as Error).message}`);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

async function buildAll(): Promise<void> {
  const { build } = await import("rolldown");
  const page = join(fresh, "console");
  const target = join(fresh, "target");
  const built = await build([
    ...[library, nodeCheck, commandLine, sdks, ...workers, pageScript(page), viewScript(page)],
    ...targetPrograms(target),
  ]);
  const chunks = built.flatMap(({ output }) => output);
  for (const { output } of built) refuseCycles(output);
  const modules = chunks.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  writeFileSync(join(fresh, "THIRD-PARTY-LICENSES"), collectLicences(modules.map(fileOf)));
  writePageFiles(page);
  copyBootstrap(target);
  packGrammars(join(fresh, "grammars"));
  packPdfium(join(fresh, "pdfium"));
  cpSync(quickjsFile(), join(fresh, "script-thread/quickjs.wasm"));
  copyPerlPrograms();
  signChunks(chunks);
  writeEntries();
  if (isQuick) keepDeclarations();
  else await writeDeclarations();
  replaceDist();
}

/** Throws when chunks import each other: then a command that needs one of them would load all of them. */
function refuseCycles(outputs: readonly (OutputChunk | OutputAsset)[]): void {
  const imports = new Map(
    outputs.map((output) => [output.fileName, output.type === "chunk" ? output.imports : []]),
  );
  const done = new Set<string>();
  const look = (file: string, path: readonly string[]) => {
    if (path.includes(file)) throw new Error(`Chunks import each other: ${[...path, file].join(" → ")}`);
    if (done.has(file)) return;
    for (const imported of imports.get(file) ?? []) look(imported, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) look(file, []);
}

/** Each entry checks the version of Node before it loads anything that needs it. */
function writeEntries(): void {
  for (const { name } of entries) {
    const text = `import "./check-node.js";\nexport * from "./library/${name}-entry.js";\n`;
    writeFileSync(join(fresh, `${name}.js`), text);
  }
}

/**
 * Prepares the files of the command line for the launcher: they are ASCII, which V8 reads faster, import modules with
 * import.cjs, export by one object, and end with a hash that names their compiled code. As scripts, they return the
 * function of the module; Node can load them as modules, too.
 */
function signChunks(built: readonly (OutputChunk | OutputAsset)[]): void {
  const changing = built.flatMap((chunk) =>
    chunk.type === "chunk" && chunk.moduleIds.some(exportsVariable) ? [basename(chunk.fileName)] : [],
  );
  // A few hundred bytes that every start would load as a file of their own.
  const runtimeFile = join(fresh, "cli/rolldown-runtime.cjs");
  const runtime = `(function(module){${exportAtOnce(readFileSync(runtimeFile, "utf8"))}return module.exports})({})`;
  rmSync(runtimeFile);
  for (const file of globSync([join(fresh, "cli.cjs"), join(fresh, "cli/*.cjs")])) {
    const toAscii = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    const source = readFileSync(file, "utf8");
    if (/\\[\u0080-\uffff]|String\.raw`[^`]*[\u0080-\uffff]/.test(source))
      throw new Error(
        `${file}: a backslash before a character that is not ASCII. Write that character as \\u….`,
      );
    const text = (changing.includes(basename(file)) ? source : exportAtOnce(source))
      .replace(/require\("\.\/(?:cli\/)?rolldown-runtime\.cjs"\)/, () => runtime)
      .replace(/(?<![\w$.])import(?=\(`[^`$]+`\))/g, `require("./import.cjs")`)
      .replace(/[\u0080-\uffff]/g, toAscii);
    const parameters = "exports,require,module,__filename,__dirname";
    const ifModule = `(function(run){return typeof module==="object"?run(${parameters}):run})`;
    const script = `${ifModule}(function(${parameters}){${text}\n})`;
    writeFileSync(file, `${script}\n//${createHash("sha256").update(script).digest("hex").slice(0, 32)}`);
  }
  writeFileSync(join(fresh, "cli/import.cjs"), "module.exports = (name) => import(name);\n");
}

/** Describes the tools of each dialect, so that a list of them need not load them. */
async function describeTools(): Promise<Readonly<Record<string, string>>> {
  const [{ dialectNames, findDialect }, { allTools }, { describeTool }] = await Promise.all([
    import("../src/dialects/dialects.ts"),
    import("../src/dialects/describe-tools.ts"),
    import("../src/dialects/definition.ts"),
  ]);
  const described = dialectNames.map(async (name) => {
    const tools = await Promise.all(allTools(await findDialect(name)).map((tool) => tool.load()));
    return [name, JSON.stringify(tools.map(describeTool))];
  });
  return Object.fromEntries(await Promise.all(described));
}

function exportsAsData(exported: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(exported).map(([name, value]) => {
    const text = JSON.stringify(JSON.stringify(value));
    return `export const ${name} = /* @__PURE__ */ JSON.parse(${text});\n`;
  });
  return lines.join("");
}

/** Returns the file of a module without the suffix of the second copy. */
function fileOf(module: string): string {
  return module.endsWith(otherCopy) ? module.slice(0, -otherCopy.length) : module;
}

/** Returns whether a module may change what it exports, so that importers must read it through a getter. */
function exportsVariable(module: string): boolean {
  const file = fileOf(module);
  const source = existsSync(file) ? readFileSync(file, "utf8") : "";
  const variables = new Set([...source.matchAll(/^(?:let|var) (\w+)/gm)].map(([, name]) => name));
  const lists = [...source.matchAll(/^export \{([^}]*)\}/gm)].flatMap(
    ([, list = ""]) => list.match(/\w+/g) ?? [],
  );
  return /^export (?:let|var) /m.test(source) || lists.some((name) => variables.has(name));
}

/** Replaces the getters of a file, one for each export, with one object, which V8 makes much faster. */
function exportAtOnce(source: string): string {
  const one =
    /exports\.([\w$]+)=([\w$]+)|Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ?([^{}]+)\}\}\)/g;
  const start = source.search(new RegExp(`(?:(?:${one.source})[,;]\\s*)+$`));
  const before = source.slice(0, start);
  // An export before the end may be read by an importer while this file runs.
  if (start < 0 || /\bexports(?:\.|,")/.test(before)) return source;
  const names = [...source.slice(start).matchAll(one)].map(
    ([, plain, value, name, got]) => `${name ?? plain}:${got ?? value}`,
  );
  return `${before}module.exports={${names.join(",")}};`;
}

/** Read at run time by `perlProgram`. */
function copyPerlPrograms(): void {
  for (const program of globSync("src/{engine,environment,sandbox,system}/**/*.pl", { cwd: root }))
    cpSync(join(root, program), join(fresh, "perl", basename(program)));
}

/** One file for each export, and one for what they share. */
async function writeDeclarations(): Promise<void> {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const separate = join(fresh, "separate types");
  // `npm run types` checks them, which takes three times as long. Several threads take more processor time in total.
  const flags = ["--noCheck", "--singleThreaded", "--outDir", separate];
  const options = ["-p", join(root, "tsconfig.build.json"), ...flags];
  execFileSync(process.execPath, [compiler, ...options], { stdio: "inherit" });
  const [{ build }, { dts }] = await Promise.all([import("rolldown"), import("rolldown-plugin-dts")]);
  await build({
    ...shared,
    input: Object.fromEntries(entries.map(({ name, module }) => [name, join(separate, `${module}.d.ts`)])),
    external: /^[@\w]/,
    checks: { bundlerTimings: false },
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, generator: "oxc", tsconfig: false })],
    output: {
      dir: join(fresh, "types"),
      format: "esm",
      entryFileNames: "[name].ts",
      chunkFileNames: "shared/[name].d.ts",
      minifyInternalExports: false,
    },
  });
  rmSync(separate, { recursive: true });
  // They name a folder of the build.
  for (const file of globSync(join(fresh, "types/**/*.ts")))
    writeFileSync(file, readFileSync(file, "utf8").replace(/^\/\/#(?:end)?region.*\n/gm, ""));
}

function keepDeclarations(): void {
  const types = join(dist, "types");
  if (existsSync(types)) cpSync(types, join(fresh, "types"), { recursive: true });
}

/** A module, and everything that it imports when it is loaded. */
function modulesOf(entries: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    for (const [, names = "", path = ""] of readFileSync(file, "utf8").matchAll(ownImport)) {
      const areAllTypes = names.startsWith("{") && !/[{,]\s*(?!type )\w/.test(names);
      if (!areAllTypes) look(resolve(dirname(file), path));
    }
  };
  for (const entry of entries) look(join(root, entry));
  return found;
}

/** Two renames, so that a running process of the old build is hardly disturbed. */
function replaceDist(): void {
  const old = `${fresh}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}
