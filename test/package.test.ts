/** @module-tag slow */
import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dialectNames, openToolcrib } from "../src/toolcrib/index.ts";
import { catalog } from "../src/tools/catalog.ts";
import { linkTree } from "./support/language-servers/served-project.ts";
import { missingHere } from "./support/sandbox-fixture.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const repository = join(import.meta.dirname, "..");
const run = promisify(execFile);

/** A project that has installed the package from its tarball, with exactly the dependencies it declares. */
const project = temporaryFolder();
const installed = join(project.path, "node_modules/toolcrib");
const launcher = join(installed, "bin/toolcrib.js");
const origin = "https://somebody:password@git.example/tools/toolcrib";
const environment = { ...process.env, TOOLCRIB_HOME: join(project.path, "home"), NODE_OPTIONS: "" };

beforeAll(async () => {
  await using copy = temporaryFolder();
  copyRepository(copy.path);
  await run("git", ["init", "-q"], { cwd: copy.path });
  await run("git", ["remote", "add", "origin", origin], { cwd: copy.path });
  // npm runs the scripts that build the package, too.
  const packed = await run("npm", ["pack", "--json", "--pack-destination", project.path], { cwd: copy.path });
  const [{ filename }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf("[")));
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", join(project.path, filename), "-C", installed, "--strip-components=1"]);
  for (const name of [...Object.keys(readPackage().dependencies), "@types/node"]) link(name, project.path);
  writeFileSync(join(project.path, "package.json"), '{ "type": "module" }');
  writeFileSync(join(project.path, "poem.txt"), "one\ntwo\n");
});
afterAll(() => project[Symbol.asyncDispose]());

describe("the tarball", () => {
  it("contains code and documentation, and nothing else", () => {
    const files = globSync("**/*", { cwd: installed, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
    const known =
      /^(dist\/(THIRD-PARTY-LICENSES|.*\.(js|cjs|d\.ts)|(grammars|pdfium)\/([\w-]+\.wasm\.zst|NOTICE\.md)|perl\/[\w-]+\.pl|target\/bootstrap\.sh|script-thread\/quickjs\.wasm|console\/(index\.html|changes\.html|icon\.svg|page\.css))|bin\/(toolcrib\.js|package\.json)|[A-Z]+(\.md)?|docs\/.*\.(md|sql|schema\.json)|examples\/.*\.(ts|mjs|py|md|yaml|jsonl)|package\.json)$/;
    expect(files.filter((file) => !known.test(file) || /\.test\.|fixtures/.test(file))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "dist/toolcrib.js"]),
    );
    const bytes = files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
    // 7.7 MB are the grammars of 97 languages, 113 MB uncompressed; 2 MB are PDFium, and 2 MB the SDKs of MCP, which the
    // library and the command line each contain. Fleets take 0.3 MB, half of it YAML, the protocol of
    // language servers 0.3 MB, the engine of scripts 0.6 MB, and the tokens of OAuth 0.1 MB.
    expect(bytes).toBeLessThan(23_700_000);
  });

  it("names the repository that it was packed from, without a password", () => {
    expect(readPackage().repository).toEqual({
      type: "git",
      url: "git+https://git.example/tools/toolcrib.git",
    });
  });

  it("contains the license of every bundled package, and of the packages bundled in those", () => {
    const text = readFileSync(join(installed, "dist/THIRD-PARTY-LICENSES"), "utf8");
    const [, ...licences] = text.split(`${"-".repeat(100)}\n\n`);
    const owners = licences.flatMap((licence) => licence.split("\n\n")[0]!.split("\n"));
    expect(owners).toEqual(
      expect.arrayContaining([
        ...["@modelcontextprotocol/client", "@modelcontextprotocol/core", "@modelcontextprotocol/server"],
        ...["ajv", "fast-uri", "hono", "htmlparser2", "jsonc-parser", "preact", "smol-toml", "unbash", "zod"],
      ]),
    );
    expect(licences.filter((licence) => !/copyright/i.test(licence))).toEqual([]);
    for (const folder of ["grammars", "pdfium"])
      expect(readFileSync(join(installed, "dist", folder, "NOTICE.md"), "utf8")).toMatch(/copyright/i);
  });

  it("runs no install scripts", () => {
    expect(Object.keys(readPackage().scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual(
      [],
    );
  });

  it("passes publint", async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages).toEqual([]);
  });
});

describe("the library", () => {
  it("opens an instance and answers a call", async () => {
    const { stdout, stderr } = await runProgram(`
      import { openToolcrib } from "toolcrib";
      const crib = await openToolcrib({ workspace: "." });
      const { content } = await crib.call("file_read", { path: "poem.txt" });
      const hits = await crib.call("search.grep", { pattern: "two" });
      console.log(JSON.stringify([content, hits.isError, (await crib.definitions({ which: "all" })).length]));
      await crib.close();
    `);
    const tools = Object.keys(catalog).filter((name) => !name.startsWith("agent.")).length;
    expect([JSON.parse(stdout), stderr]).toEqual([["1 | one\n2 | two", false, tools], ""]);
  });

  it("defines the tools of every dialect as its sources do", async () => {
    const { stdout } = await runProgram(`
      import { dialectNames, openToolcrib } from "toolcrib";
      for (const dialect of dialectNames) {
        const crib = await openToolcrib({ workspace: ".", dialect });
        console.log(JSON.stringify([dialect, await crib.definitions({ which: "all" })]));
        await crib.close();
      }
    `);
    const built = Object.fromEntries(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
    expect(Object.keys(built)).toEqual(dialectNames);
    const directories = { stateDirectory: join(project.path, "state"), configDirectory: project.path };
    for (const dialect of dialectNames) {
      await using crib = await openToolcrib({ workspace: project.path, dialect, ...directories });
      expect(built[dialect], dialect).toEqual(
        JSON.parse(JSON.stringify(await crib.definitions({ which: "all" }))),
      );
    }
  });

  it("works with the model SDKs", async () => {
    const { stdout, stderr } = await runProgram(`
      import { openToolcrib } from "toolcrib";
      import { answerResponses, responsesTools } from "toolcrib/openai";
      import { answerMessages } from "toolcrib/anthropic";
      import { answerGemini } from "toolcrib/google";
      import { aiSdkTools } from "toolcrib/ai-sdk";
      const crib = await openToolcrib({ workspace: "." });
      const input = { path: "poem.txt" };
      const read = { name: "file_read", arguments: JSON.stringify(input) };
      const [tool] = await responsesTools(crib);
      const { file_read: own } = await aiSdkTools(crib);
      console.log(JSON.stringify([
        [tool.name, tool.strict],
        (await answerResponses(crib, [{ type: "function_call", call_id: "1", ...read }]))[0].output,
        (await answerMessages(crib, { content: [{ type: "tool_use", id: "1", name: "file_read", input }] }))[0].content,
        (await answerGemini(crib, [{ name: "file_read", args: input }]))[0].functionResponse.response.output,
        (await own.execute(input, {})).content,
      ]));
      await crib.close();
    `);
    const poem = "1 | one\n2 | two";
    expect([JSON.parse(stdout), stderr]).toEqual([[["file_read", true], poem, poem, poem, poem], ""]);
  });

  it("declares the names that docs/library.md lists, and no others", () => {
    const { exports } = readPackage();
    const reference = readFileSync(join(repository, "docs/library.md"), "utf8").split(/^## Reference$/m)[1]!;
    const listed = reference.split(/^### /m).slice(1);
    const names = Object.keys(exports).filter((name) => name !== "./package.json");
    expect(
      Object.fromEntries(
        listed.map((section) => [
          section.split("\n")[0],
          [...section.matchAll(/^- `(\w+)`: \S/gm)].map(([, name]) => name).toSorted(),
        ]),
      ),
    ).toEqual(
      Object.fromEntries(
        names.map((name) => [
          `\`toolcrib${name.slice(1)}\``,
          namesDeclaredIn(readFileSync(join(installed, exports[name].types), "utf8")),
        ]),
      ),
    );
  });

  it("documents every export", async () => {
    const { exports } = readPackage();
    const names = Object.keys(exports).filter((name) => name !== "./package.json");
    const { stdout, stderr } = await runProgram(`
      const modules = await Promise.all(${JSON.stringify(names)}.map((name) => import("toolcrib" + name.slice(1))));
      console.log(JSON.stringify(modules.map((module) => Object.keys(module).length > 0)));
    `);
    expect([JSON.parse(stdout), stderr]).toEqual([names.map(() => true), ""]);
    const types = names.map((name) => join(installed, exports[name].types));
    expect(types.filter((file) => !existsSync(file))).toEqual([]);
  });

  it("parses code in a process that ends with it", async () => {
    mkdirSync(join(project.path, "code"));
    writeFileSync(
      join(project.path, "code/shapes.rs"),
      "struct Circle;\nimpl Circle {\n    fn area(&self) {}\n}\n",
    );
    const { stdout, stderr } = await runProgram(`
      import { openToolcrib } from "toolcrib";
      const crib = await openToolcrib({ workspace: "code" });
      const symbols = await crib.call("code.symbols", { path: "shapes.rs" });
      let hits;
      do hits = await crib.call("code.search", { query: "Circle" });
      while (!hits.isError && !hits.content.includes("shapes.rs"));
      console.log(JSON.stringify([symbols.isError, symbols.content.includes("area"), hits.isError]));
      await crib.close();
    `);
    expect([JSON.parse(stdout), stderr]).toEqual([[false, true, false], ""]);
    const command = await toolcrib("call", "code.symbols", "--path", "code/shapes.rs");
    expect(command).toEqual({ stdout: expect.stringContaining("area"), stderr: "" });
  });

  it("reads documents in a process that ends with it", async () => {
    writeFileSync(join(project.path, "poem.txt.gz"), gzipSync("one\ntwo\n"));
    const asked = { path: "poem.txt.gz", part: "entry poem.txt" };
    const { stdout, stderr } = await runProgram(`
      import { openToolcrib } from "toolcrib";
      const crib = await openToolcrib({ workspace: "." });
      const { isError, content } = await crib.call("document.read", ${JSON.stringify(asked)});
      console.log(JSON.stringify([isError, content]));
      await crib.close();
    `);
    const content = "poem.txt.gz: gzip archive, 1 entry (unpacked: 8 bytes)\n\n[entry poem.txt]\none\ntwo\n";
    expect([JSON.parse(stdout), stderr]).toEqual([[false, content], ""]);
    const command = await toolcrib("call", "document.read", JSON.stringify(asked));
    expect(command).toEqual({ stdout: content, stderr: "" });
  });

  it.each(["bwrap", "landlock"] as const)("finds its Perl programs for a sandbox: %s", async (level) => {
    if ((await missingHere(level)) !== undefined) return;
    // Landlock cannot protect a workspace in which Toolcrib is installed.
    await using workspace = temporaryFolder();
    // Uses the programs of a terminal, of the network, and of Landlock.
    const input = { command: "stty size; echo $http_proxy", terminal: true, wait_ms: 30_000 };
    const rule = "allow connect *.example.com";
    const seen = /\n40 120\nhttp:\/\/.*127\.0\.0\.1:\d+/;
    const { stdout, stderr } = await runProgram(`
      import { openToolcrib } from "toolcrib";
      const crib = await openToolcrib({
        workspace: ${JSON.stringify(workspace.path)}, mode: "yolo", sandbox: "${level}", rules: ["${rule}"],
      });
      console.log((await crib.call("process.start", ${JSON.stringify(input)})).content);
      await crib.close();
    `);
    expect([stdout, stderr]).toEqual([expect.stringMatching(seen), ""]);
    const options = ["--mode", "yolo", "--sandbox", level, "--rule", rule];
    const words = ["call", "process.start", JSON.stringify(input), ...options];
    const command = await run(process.execPath, [launcher, ...words], {
      cwd: workspace.path,
      env: environment,
    });
    expect(command.stdout).toMatch(seen);
  });

  it("has types that a strict project can use, also for custom tools", async () => {
    writeFileSync(
      join(project.path, "consumer.ts"),
      `import { type AddedCaller, type CallResult, defineTool, type MemoryEnvironment, openToolcrib, type Toolcrib } from "toolcrib";
       import type { Session } from "toolcrib/agent";
       import type { LoopTool, ToolLoop } from "toolcrib/agent-loop";
       import type { AiSdkToolSet } from "toolcrib/ai-sdk";
       import type { AnthropicTool } from "toolcrib/anthropic";
       import type { CustomTool, LocalExecutionEnvironment, ToolRegistry } from "toolcrib/forge";
       import type { GeminiAnswer } from "toolcrib/google";
       import type { HttpHandler, Hub, ServedConnection, ServedHttp } from "toolcrib/mcp";
       import type { ToolDef, ToolExecutor } from "toolcrib/omega";
       import type { OpenAiTool } from "toolcrib/openai";
       import * as z from "zod";

       export type Others =
         LoopTool | AiSdkToolSet | AnthropicTool | CustomTool | GeminiAnswer | Hub | ServedHttp | ToolDef | OpenAiTool;

       // Everything that closes works with \`await using\`.
       type Closed = Toolcrib | AddedCaller | MemoryEnvironment | Session | ToolLoop | LocalExecutionEnvironment |
         ToolRegistry | HttpHandler | Hub | ServedConnection | ServedHttp | ToolExecutor;
       export const end = async (closed: Closed) => closed[Symbol.asyncDispose]();

       // With \`declaration\`, TypeScript needs a name for the data of every tool.
       ${Object.keys(catalog)
         .map((name, at) => `export const call${at} = (crib: Toolcrib) => crib.call("${name}", {} as never);`)
         .join("\n")}
       export const indexOf = (crib: Toolcrib) => crib.codeIndex(AbortSignal.timeout(1_000));
       export const projectOf = (crib: Toolcrib) => crib.project;

       const shout = defineTool({
         name: "text.shout",
         description: "Shout.",
         risk: "read",
         input: z.object({ text: z.string() }),
         run: ({ text }) => text.toUpperCase(),
       });
       const crib = await openToolcrib({ workspace: ".", mode: "safe", tools: [shout] });
       const result: CallResult = await crib.call("text.shout", { text: "hello" });
       console.log(result.content);
       const typed = await crib.call("file.read", { path: "poem.txt", paths: undefined }, { signal: undefined });
       const kinds: readonly string[] | undefined = typed.data?.files.map(({ kind }) => kind);
       // @ts-expect-error: the input of a canonical tool is checked
       await crib.call("file.read", { paht: "poem.txt" });
       console.log(kinds);
       await crib.close();
       await using claude = await openToolcrib({ workspace: ".", dialect: "claude-code" });
       const { data } = await claude.call("Glob", { pattern: "*.txt" });
       const first: "file" | string | undefined = data?.files[0]?.path;
       // @ts-expect-error: the input of a tool of the dialect is checked
       await claude.call("Read", { path: first });`,
    );
    const compiler = join(repository, "node_modules/typescript/bin/tsc");
    const options = [
      "--singleThreaded",
      "--strict",
      "--declaration",
      "--exactOptionalPropertyTypes",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      // Without the types of browsers, which would be checked too.
      "--lib",
      "es2024,esnext.disposable",
    ];
    const files = ["--types", "node", "--outDir", "compiled", "consumer.ts"];
    const { stdout } = await run(process.execPath, [compiler, ...options, ...files], { cwd: project.path });
    expect(stdout).toBe("");
    const program = await run(process.execPath, ["compiled/consumer.js"], {
      cwd: project.path,
      env: environment,
    });
    expect(program).toEqual({ stdout: "HELLO\n[ 'text' ]\n", stderr: "" });
  });
});

describe("the command", () => {
  it("prints its version, and calls tools", async () => {
    const { version } = readPackage();
    expect(await toolcrib("--version")).toEqual({ stdout: `${version}\n`, stderr: "" });
    const { stdout } = await toolcrib("call", "file.read", '{"path": "poem.txt"}', "--json");
    expect(JSON.parse(stdout)).toMatchObject({ content: "1 | one\n2 | two", isError: false });
    expect((await toolcrib("call", "search.grep", "--pattern", "tw[o]")).stdout).toContain("two");
    const edit = ["--path", "poem.txt", "--find", "one", "--replace", "1"];
    expect((await toolcrib("call", "edit.preview", ...edit)).stdout).toContain(
      "Would edit poem.txt at line 1",
    );
    expect((await toolcrib("help", "search.grep")).stdout).toContain("--pattern");
  });

  it("loads no more than it needs", async () => {
    const call = ["call", "file.read", "--path", "poem.txt"];
    // The second call in a workspace also collects what its journal no longer needs.
    for (let times = 0; times < 2; times += 1) await toolcrib(...call);
    const [version, help, read] = await Promise.all([
      loadedBy("--version"),
      loadedBy("--help"),
      loadedBy(...call),
    ]);
    expect([version.files, help.files]).toEqual([
      ["bin/toolcrib.js", "package.json"],
      ["bin/toolcrib.js", "dist/cli.cjs", "dist/cli/other-commands.cjs"],
    ]);
    expect(read.files).toEqual(["bin/toolcrib.js", "dist/cli.cjs", "dist/cli/call.cjs"]);
    const costly = ["child_process", "crypto", "net", "perf_hooks", "stream", "worker_threads"];
    expect(costly.filter((name) => read.builtins.includes(`NativeModule ${name}`))).toEqual([]);
    // Only the SDKs of MCP need every kind of schema.
    expect(readFileSync(join(installed, "dist/cli/call.cjs"), "latin1")).not.toContain("$ZodIBAN");
  });

  it("prints warnings before a call exits", async () => {
    const home = join(project.path, "home without a journal");
    const call = () =>
      run(process.execPath, [launcher, "call", "file.read", "--path", "poem.txt"], {
        cwd: project.path,
        env: { ...environment, TOOLCRIB_HOME: home },
      });
    await call();
    for (const file of globSync(join(home, "workspaces/*/journal.sqlite*"))) rmSync(file);
    for (const folder of globSync(join(home, "workspaces/*")))
      mkdirSync(join(folder, "journal.sqlite/not a journal"), { recursive: true });
    expect(await call()).toEqual({
      stdout: "1 | one\n2 | two\n",
      stderr: expect.stringContaining("Toolcrib could not write its journal"),
    });
  });

  it("keeps the compiled code of what a command has run, and does without when it is damaged", async () => {
    const home = join(project.path, "compiled home");
    const folder = join(home, "cache/compiled");
    const call = async (tool: string, path = "poem.txt") => {
      const { stdout } = await run(process.execPath, [launcher, "call", tool, JSON.stringify({ path })], {
        cwd: project.path,
        env: { ...environment, TOOLCRIB_HOME: home },
      });
      const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
      const commands = files.map((text) => text.slice(text.lastIndexOf("\n") + 1));
      return { stdout, commands: new Set(commands) };
    };
    const read = { stdout: "1 | one\n2 | two\n", commands: new Set(["call file.read"]) };
    expect([await call("file.read"), await call("file.read")]).toEqual([read, read]);
    expect((await call("file.list", ".")).commands).toContain("call file.read,call file.list");
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name));
      bytes[bytes.length >> 1]! ^= 4;
      writeFileSync(join(folder, name), bytes);
    }
    expect((await call("file.read")).stdout).toBe(read.stdout);
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "damaged");
    expect(await call("file.read")).toEqual({ ...read, commands: new Set(["call file.read", "damaged"]) });
    const hook = join(project.path, "remove-cache.cjs");
    writeFileSync(
      hook,
      `process.on("exit", () => require("fs").rmSync(${JSON.stringify(folder)}, { recursive: true }));`,
    );
    const removed = await run(process.execPath, ["-r", hook, launcher, "call", "file.list", '{"path":"."}'], {
      cwd: project.path,
      env: { ...environment, TOOLCRIB_HOME: home },
    });
    expect([removed.stderr, existsSync(folder)]).toEqual(["", false]);
  });

  it("stores compiled code that the next start accepts, and none after the flags of V8 have changed", async () => {
    const home = join(project.path, "flags home");
    const folder = join(home, "cache/compiled");
    const hook = join(project.path, "change-flags.cjs");
    const change = `require("v8").setFlagsFromString("--semi-space-growth-factor=1")`;
    writeFileSync(hook, `process.on("exit", () => ${change});`);
    const call = (...options: string[]) =>
      run(process.execPath, [...options, launcher, "call", "file.read", '{"path":"poem.txt"}'], {
        cwd: project.path,
        env: { ...environment, TOOLCRIB_HOME: home },
      });
    const stored = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).ino]);
    await call("-r", hook);
    expect(stored()).toEqual([]);
    await call();
    const first = stored();
    expect(first.length).toBeGreaterThan(1);
    await call();
    expect(stored()).toEqual(first);
  });

  it("runs no compiled code that another user could have written, and survives the loss of its folder", async () => {
    const home = join(project.path, "shared home");
    const folder = join(home, "cache/compiled");
    const call = (tool: string, input: object, options: readonly string[] = []) =>
      run(process.execPath, [...options, launcher, "call", tool, JSON.stringify(input)], {
        cwd: project.path,
        env: { ...environment, TOOLCRIB_HOME: home },
      });
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    await call("file.read", { path: "poem.txt" });
    // The second call of an hour collects from the history, with code that the later calls do not load.
    await call("file.read", { path: "poem.txt" });
    expect(readdirSync(folder)).toEqual([]);
    chmodSync(folder, 0o700);
    await call("file.read", { path: "poem.txt" });
    const files = readdirSync(folder).map((name) => join(folder, name));
    for (const file of files) chmodSync(file, 0o622);
    await call("file.list", { path: "." });
    const commands = files.map((file) => readFileSync(file, "latin1").split("\n").at(-1));
    // A file that others could have written is not extended but replaced.
    expect(new Set(commands)).toEqual(new Set(["call file.list"]));
    const removal = join(home, "remove.cjs");
    const removing = `fs.rmSync(${JSON.stringify(folder)}, { recursive: true })`;
    writeFileSync(removal, `const fs = require("fs"); process.on("exit", () => ${removing});`);
    const { stdout, stderr } = await call("file.read", { path: "poem.txt" }, ["--require", removal]);
    expect([stdout.includes("1 | one"), stderr, existsSync(folder)]).toEqual([true, "", false]);
  });

  it("plays its tour from any folder", async () => {
    expect((await toolcrib("tour")).stdout).toContain("Next steps\n");
  });

  it("plays its demo without any warning", async () => {
    const { stdout, stderr } = await toolcrib("run", "--demo");
    expect([stdout.includes("All tests pass now."), /warning/i.exec(stderr)]).toEqual([true, null]);
  });

  it("prints a hint on an old Node", async () => {
    const old = await runOld(launcher, "--version");
    expect(old).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "toolcrib needs Node 22.18 or newer; this is Node 20.20.2.\n" +
        "Install a newer one from https://nodejs.org, or run: npx -p node@24 -p toolcrib toolcrib\n",
    });
  });

  it.each([
    [{ node: "20.20.2" }, "Node 20.20.2"],
    [{ node: "22.17.1" }, "Node 22.17.1"],
    [{ node: "24.3.0", bun: "1.3.1" }, "Bun 1.3.1"],
    [{ node: "24.2.0", deno: "2.5.0" }, "Deno 2.5.0"],
  ])("stops every import in %o with one sentence", async (versions, runtime) => {
    const names = Object.keys(readPackage().exports).filter((name) => name !== "./package.json");
    const { stdout } = await runProgram(`
      const real = process.versions;
      Object.defineProperty(process, "versions", { value: { ...real, ...${JSON.stringify(versions)} } });
      Map.groupBy = undefined;
      const load = (name) => import("toolcrib" + name.slice(1)).then(() => "loaded", ({ message }) => message);
      console.log(JSON.stringify(await Promise.all(${JSON.stringify(names)}.map(load))));
    `);
    const message = `toolcrib needs Node 22.18 or newer; this is ${runtime}. Install Node from https://nodejs.org and start your program with node.`;
    expect(JSON.parse(stdout)).toEqual(names.map(() => message));
  });

  it("uses a newer Node installed next to it", async () => {
    const root = join(project.path, "old project");
    const node = join(root, "node_modules/node/bin/node");
    cpSync(installed, join(root, "node_modules/toolcrib"), { recursive: true });
    mkdirSync(dirname(node), { recursive: true });
    writeFileSync(node, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, { mode: 0o755 });
    const old = await runOld(join(root, "node_modules/toolcrib/bin/toolcrib.js"), "call", "nonsense");
    expect(old).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Unknown tool") });
  });
});

function readPackage() {
  return JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
}

/**
 * Copies the sources without build output, so that packing does not replace a build in use. Copies only what it
 * packs and builds from, and leaves one file in every other folder: it would be in the tarball if the folder were packed.
 */
function copyRepository(destination: string): void {
  for (const entry of readdirSync(repository, { withFileTypes: true })) {
    const [from, to] = [join(repository, entry.name), join(destination, entry.name)];
    if ([".git", ".work", "dist", "node_modules"].includes(entry.name)) continue;
    if (entry.name === "src") linkTree(from, to);
    else if (entry.isFile() || ["bin", "docs", "examples", "scripts"].includes(entry.name))
      cpSync(from, to, { recursive: true });
    else {
      mkdirSync(to);
      writeFileSync(join(to, "unpacked.ts"), "");
    }
  }
  for (const name of readdirSync(join(repository, "node_modules"))) {
    // The build creates and moves temporary files there.
    if (name !== ".cache") link(name, destination);
  }
}

/** Links one of our installed packages into a project, so that no network is needed. */
function link(name: string, to: string): void {
  const place = join(to, "node_modules", name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(repository, "node_modules", name), place);
}

function toolcrib(...words: string[]) {
  return run(process.execPath, [launcher, ...words], { cwd: project.path, env: environment });
}

function runProgram(text: string) {
  const program = ["--input-type=module", "-e", text];
  return run(process.execPath, program, { cwd: project.path, env: environment });
}

/** The files and built-in modules that a command loads. */
async function loadedBy(...words: string[]): Promise<{ files: string[]; builtins: string[] }> {
  const witness = join(project.path, "witness.cjs");
  const report = "{ files: Object.keys(require.cache), builtins: process.moduleLoadList }";
  writeFileSync(witness, `process.on("exit", () => require("fs").writeSync(2, JSON.stringify(${report})));`);
  const { stderr } = await run(process.execPath, ["-r", witness, launcher, ...words], {
    cwd: project.path,
    env: environment,
  });
  const { files, builtins } = JSON.parse(stderr);
  const ours = files.filter((file: string) => file.startsWith(installed));
  return { files: ours.map((file: string) => file.slice(installed.length + 1)), builtins };
}

/** Runs the launcher in a Node that pretends to be an old one. */
async function runOld(file: string, ...words: string[]) {
  const pretence = join(project.path, "pretend.cjs");
  writeFileSync(
    pretence,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });',
  );
  try {
    return await run(process.execPath, ["-r", pretence, file, ...words], {
      cwd: project.path,
      env: environment,
    });
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

/** The exports of a declaration file. Throws for `export *`: exports are chosen by name. */
function namesDeclaredIn(declarations: string): string[] {
  if (/^export (?:type )?\*/m.test(declarations)) throw new Error("Exports are not chosen by name");
  const declared = declarations.matchAll(
    /^export (?:declare )?(?:abstract )?(?:function|class|interface|type|const) (\w+)/gm,
  );
  const listed = [...declarations.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    [...list!.matchAll(/(\w+)\s*(?:,|$)/g)].map(([, name]) => name!),
  );
  return [...new Set([...[...declared].map(([, name]) => name!), ...listed])].toSorted();
}
