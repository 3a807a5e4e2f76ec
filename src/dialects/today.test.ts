import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hasTerminals } from "../../test/support/pseudo-terminal.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { serve, webFixture } from "../../test/support/web-fixture.ts";
import { openToolcrib } from "../toolcrib/index.ts";

const rules = ["allow connect 127.0.0.1"];

it("searches by domain and continues in a long page, like Claude Code", async () => {
  await using server = await serve((request, response) => {
    if (request.url?.startsWith("/search")) {
      const results = ["https://docs.rs/a", "https://evil.example/b", "https://x.docs.rs/c"].map((url) => ({
        url,
        title: "a page",
        content: "",
      }));
      response.setHeader("content-type", "application/json").end(JSON.stringify({ results }));
    } else response.setHeader("content-type", "text/plain").end(`${"word ".repeat(12_000)}end`);
  });
  await using opened = await webFixture({
    rules,
    mode: "yolo",
    dialect: "claude-code",
    search: { engine: "searxng", url: server.origin },
  });
  const found = await opened.crib.call("WebSearch", {
    query: "regex",
    allowed_domains: ["https://docs.rs/"],
    blocked_domains: ["x.docs.rs"],
  });
  const url = `${server.origin}/page`;
  const first = await opened.crib.call("WebFetch", { url, prompt: "the end" });
  const offset = Number(/continues at offset (\d+)\.\]$/.exec(first.content)?.[1]);
  const second = await opened.crib.call("WebFetch", { url, prompt: "the end", offset });
  expect([
    found.content,
    server.asked[0],
    offset > 30_000,
    second.content.includes("word end"),
    [first, second].map(({ content }) => content.match(/word|end\b/g)?.length ?? 0).reduce((a, b) => a + b),
  ]).toEqual([
    "1. a page\n   https://docs.rs/a",
    "GET /search?q=regex+site%3Adocs.rs+-site%3Ax.docs.rs&format=json&pageno=1",
    true,
    true,
    12_001,
  ]);
});

it("fetches all pages of a prompt, like gemini-cli", async () => {
  await using server = await serve((request, response) => {
    if (request.url === "/gone") response.writeHead(404).end();
    else response.setHeader("content-type", "text/plain").end(`this is ${request.url}`);
  });
  await using opened = await webFixture({ rules, mode: "yolo", dialect: "gemini-cli" });
  const { origin } = server;
  const prompt = `Compare ${origin}/a, (see ${origin}/b) and <${origin}/gone>; again ${origin}/a.`;
  const several = await opened.crib.call("web_fetch", { prompt });
  const none = await opened.crib.call("web_fetch", { prompt: `${origin}/gone and ${origin}/gone?` });
  const tooMany = Array.from({ length: 21 }, (_, index) => `${origin}/${index}`).join(" ");
  const refused = await opened.crib.call("web_fetch", { prompt: tooMany });
  expect([several.content.match(/this is \S+|^\[.*/gm), server.asked, none.isError, refused.content]).toEqual(
    [
      ["this is /a", "this is /b", expect.stringMatching(/^\[http:\S+\/gone: .*404.*\]$/)],
      ["GET /a", "GET /b", "GET /gone", "GET /gone"],
      true,
      "The prompt contains 21 URLs\nFetch at most 20 at once.",
    ],
  );
});

it("shows gemini-cli's models which lines of a long file they see", async () => {
  await using opened = await webFixture({ mode: "yolo", dialect: "gemini-cli" });
  await opened.crib.call("write_file", { file_path: "many.txt", content: "x\n".repeat(2001) });
  const heads = [];
  for (const end_line of [undefined, 2000, 2001]) {
    const { content } = await opened.crib.call("read_file", { file_path: "many.txt", end_line });
    heads.push([content.split("\n")[0], content.match(/^x$/gm)?.length]);
  }
  expect(heads).toEqual([
    ["[Lines 1-2000 of 2001. Continue with start_line 2001.]", 2000],
    ["[Lines 1-2000 of 2001.]", 2000],
    ["[Lines 1-2000 of 2001. Continue with start_line 2001.]", 2000],
  ]);
});

if (!hasTerminals) it.skip("in a terminal (skipped: `script` of util-linux is missing)", () => {});

it.runIf(hasTerminals)("types into a terminal, as codex does", { tags: "slow" }, async () => {
  await using opened = await webFixture({ mode: "yolo", dialect: "codex" });
  const cmd = "stty -echo; read -r word; echo got $word; read -r word; echo never";
  await opened.crib.call("exec_command", { cmd, tty: true, yield_time_ms: 1000 });
  const answered = await opened.crib.call("write_stdin", {
    session_id: 1,
    chars: "yes\n",
    yield_time_ms: 1500,
  });
  const ended = await opened.crib.call("write_stdin", {
    session_id: 1,
    chars: "\u0003",
    yield_time_ms: 30_000,
  });
  expect([answered, ended].map(({ content }) => linesOf(content).slice(1))).toEqual([
    ["Process running with session ID 1", "Original token count: 3", "Output:", "got yes"],
    ["Process exited with code 130", expect.any(String), "Output:"],
  ]);
});

it("undoes changes that codex commands made before they returned", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  const folders = {
    workspace: join(folder.path, "work space"),
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    mode: "yolo",
  } as const;
  mkdirSync(folders.workspace);
  const file = join(folders.workspace, "a.txt");
  const codex = await openToolcrib({ ...folders, dialect: "codex" });
  await codex.call("apply_patch", { input: "*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch" });
  await codex.call("exec_command", { cmd: "echo two > a.txt" });
  await codex.close();
  const changed = readFileSync(file, "utf8");
  const user = await openToolcrib({ ...folders, undoScope: "workspace" });
  const undone = await user.call("journal.undo", {});
  await user.close();
  expect([changed, undone.isError, readFileSync(file, "utf8")]).toEqual(["two\n", false, "one\n"]);
});

/** Without the sandbox level and empty fields. */
function linesOf(content: string): readonly string[] {
  return content.split("\n").filter((line) => line !== "" && !line.startsWith("[sandbox"));
}
