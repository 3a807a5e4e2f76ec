/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launcher } from "../../../../test/support/built-program.ts";
import { cliWithModel } from "../../../../test/support/cli-with-model.ts";
import { cliWorkspace } from "../../../../test/support/cli-workspace.ts";
import { emulatedTerminal } from "../../../../test/support/emulated-terminal.ts";
import { isAlive } from "../../../../test/support/is-alive.ts";
import { hasTerminals } from "../../../../test/support/pseudo-terminal.ts";
import { toCommandLine } from "../../../lib/text/shell-quote.ts";
import { attempt } from "../../../system/attempt.ts";

const command = (cmd: string) => ({ name: "exec_command", input: { cmd } });
const patch = (path: string) => ({
  name: "apply_patch",
  input: `*** Begin Patch\n*** Add File: ${path}\n+made\n*** End Patch`,
});

const enter = "\r";
const escapeKey = "\u001b";
const up = "\u001b[A";
const control = (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96);

const evil = "\u001b[2J\u001b]0;evil\u0007\u001b]52;c;eA==\u0007\u009b5A\rgone";

if (!hasTerminals) it.skip("the screen (skipped: `script` of util-linux is missing)", () => {});
else
  describe("toolcrib chat, on a screen", () => {
    it("renders Markdown, keeps the input apart from the output, and steers", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel(({ messages }) => {
        const { role, text } = messages.at(-1)!;
        if (role !== "user") return { text: "Never." };
        if (text !== "begin") return { text: `Heard: ${text}.` };
        const reply =
          "# Title\n\nSome **bold** text:\n\n```ts\nlet a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |";
        return { text: reply, calls: [command("echo one; sleep 1; echo two; sleep 60")] };
      });
      await using terminal = fixture.emulate(["chat", "--rule", "allow run **"]);
      // The session may not be open yet.
      await terminal.shows("────");
      terminal.type(`begin${enter}`);
      await terminal.shows("\n  two\n");
      terminal.type("half ty");
      terminal.type(`ped${enter}`);
      const steering = await terminal.shows("next: half typed");
      expect(steering).toMatch(
        /Title\n\nSome bold text:\n\n```ts\n {2}let a = 1;\n```\n\n┌───┬───┐\n│ a │ b │/,
      );
      expect(steering).toMatch(/● process\.start echo one.*\n {2}one\n {2}two\n/);
      terminal.type("never sent");
      expect((await terminal.shows("never sent")).split("\n").slice(-3)).toEqual([
        "never sent",
        "─".repeat(80),
        expect.stringMatching(/^openai\/gpt-5 · cautious · \d+% context · \$[\d.]+ · \d+ s +\/help$/),
      ]);
      terminal.type(escapeKey);
      const stopped = await terminal.shows("Stopped.");
      expect(stopped).toContain("never sent");
      terminal.type(`${control("c")}again${enter}`);
      await terminal.shows("Heard: again.");
      terminal.type(control("d"));
      expect([await terminal.exit, fixture.server.breaches]).toEqual([0, []]);
      expect(terminal.screen).toContain("To continue: toolcrib chat --resume session_");
    });

    it("leaves only the error when no session opens", async () => {
      await using fixture = cliWorkspace();
      await using terminal = fixture.emulate(["chat", "--model", "nobody/nothing"], { columns: 120 });
      expect(await terminal.exit).toBe(2);
      expect(terminal.screen.split("\n").filter((line) => !/^(?:\/dev\/|pid )/.test(line))).toEqual([
        expect.stringContaining("nobody"),
        expect.any(String),
      ]);
    });

    it("edits several lines, remembers input, and leaves with Ctrl-C twice", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel(({ messages }) => ({
        text: `${JSON.stringify(messages.at(-1)!.text)} heard.`,
      }));
      {
        await using terminal = fixture.emulate(["chat"]);
        await terminal.shows("· cautious");
        terminal.type(`one\\${enter}two${enter}`);
        await terminal.shows('"one\\ntwo" heard.');
        terminal.type(` /not a command${enter}`);
        await terminal.shows('" /not a command" heard.');
        const pasted = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\r");
        terminal.type(`\u001b[200~${pasted}\u001b[201~`);
        await terminal.shows("[paste #1 +30 lines]");
        terminal.type(enter);
        await terminal.shows(/line 28\\nline 29" heard\./);
        terminal.type(`/exit${enter}`);
        expect(await terminal.exit).toBe(0);
      }
      expect(statSync(join(fixture.home, "chat-history")).mode & 0o777).toBe(0o600);
      await using terminal = fixture.emulate(["chat"]);
      await terminal.shows("· cautious");
      for (const _ of Array.from({ length: 3 })) terminal.type(up);
      await terminal.shows("/not a command\n");
      terminal.type(control("c"));
      terminal.type(control("c"));
      await terminal.shows("To leave: Ctrl-C again");
      terminal.type(control("c"));
      expect(await terminal.exit).toBe(0);
      // The terminal is restored: no bracketed paste, a visible cursor.
      expect(terminal.written.lastIndexOf("\u001b[?2004l")).toBeGreaterThan(
        terminal.written.lastIndexOf("\u001b[?2004h"),
      );
      expect(terminal.written.lastIndexOf("\u001b[?25h")).toBeGreaterThan(
        terminal.written.lastIndexOf("\u001b[?25l"),
      );
    });

    it("shows the output of the user's own command as it arrives", async () => {
      await using fixture = await cliWithModel(({ messages }) => ({ text: messages.at(-1)!.text }));
      await using terminal = fixture.emulate(["chat"]);
      await terminal.shows("· cautious");
      terminal.type(`!echo one; until test -e go; do sleep 0.05; done; echo two${enter}`);
      const running = await terminal.shows(/❯ !echo one.*\n\n {2}one\n/);
      expect(running).not.toContain("\n  two");
      fixture.write("go", "");
      await terminal.shows(/\n\none\ntwo\n/);
      terminal.type(`!exit 3${enter}`);
      await terminal.shows(/❯ !exit 3\n\n\S/);
    });

    it("asks for approval with one key, and ignores Enter", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel([
        { calls: [command("rm x")] },
        { text: "Gone." },
        { calls: [command("rm y")] },
        { text: "Kept." },
      ]);
      fixture.write("x", "");
      fixture.write("y", "");
      await using terminal = fixture.emulate(["chat", "--mode", "safe"], { rows: 40 });
      await terminal.shows("· safe");
      terminal.type(`remove x${enter}`);
      await terminal.shows("[y]es once");
      // The question still waits after Enter and another key: it can be explained, and shortened again.
      terminal.type(enter);
      terminal.type("z");
      await terminal.shows("keys answer when you have not typed");
      await terminal.shows("[y]es once");
      terminal.type("e");
      await terminal.shows(/^Risk .*\n[\s\S]*\[y\]es once/m);
      terminal.type("e");
      await terminal.shows(/^(?![\s\S]*\nRisk )[\s\S]*\[y\]es once/);
      terminal.type("y");
      await terminal.shows("Gone.");
      terminal.type(`remove y${enter}`);
      await terminal.shows("[y]es once");
      terminal.type("m");
      await terminal.shows("Message to the model:");
      terminal.type(`keep it${enter}`);
      await terminal.shows("Kept.");
      expect(fixture.server.requests.at(-1)!.messages.at(-1)!.text).toContain("keep it");
      expect([existsSync(join(fixture.workspace, "x")), existsSync(join(fixture.workspace, "y"))]).toEqual([
        false,
        true,
      ]);
    });

    it.each([60, 120])(
      "asks an ordinary question in a few of %i columns' lines",
      { tags: "slow" },
      async (columns) => {
        const cmd = "node check.js --quick --verbose";
        await using fixture = await cliWithModel([{ calls: [command(cmd)] }, { text: "Kept." }]);
        await using terminal = fixture.emulate(["chat", "--mode", "safe"], { columns, rows: 40 });
        await terminal.shows("· safe");
        terminal.type(`check${enter}`);
        const lines = (await terminal.shows("[e]xplain")).split("\n");
        const last = lines.findIndex((line) => line.endsWith("[e]xplain"));
        const first = lines.lastIndexOf("─".repeat(columns), last);
        const question = lines.slice(first, last + 1);
        expect(question.slice(1, 4)).toEqual([
          "Allow  process.start?",
          `  | ${cmd}`,
          '  | {"name":"#","input":false}',
        ]);
        expect(question.length).toBeLessThanOrEqual(columns === 60 ? 11 : 9);
        terminal.type("n");
        await terminal.shows("Kept.");
      },
    );

    it("unfolds calls to their arguments, output and diff", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel([
        { calls: [patch("a.txt"), command("echo some output; exit 3")] },
        { text: "Made." },
      ]);
      await using terminal = fixture.emulate(["chat", "--rule", "allow run **"], { rows: 40 });
      await terminal.shows("· cautious");
      terminal.type(`make${enter}`);
      const folded = await terminal.shows("Made.");
      expect(folded).toMatch(/● edit\.patch a\.txt {2}\+1 −0\n● process\.start echo some output; exit 3/);
      expect(folded).not.toContain("| +made");
      terminal.type(control("o"));
      const unfolded = await terminal.shows("| +made");
      expect(unfolded).toContain("| cmd: echo some output; exit 3");
      expect(unfolded).toContain("| some output");
      terminal.type(control("o"));
      await terminal.shows(/− ?0\n● process/);
    });

    it("undoes a chosen hunk, and asks before an undo of what was committed", { tags: "slow" }, async () => {
      const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);
      const change = ["*** Update File: a.txt", "@@", "-line 1", "+first", "@@", "-line 30", "+last"];
      await using fixture = await cliWithModel([
        {
          calls: [
            { name: "apply_patch", input: ["*** Begin Patch", ...change, "*** End Patch"].join("\n") },
            patch("b.txt"),
          ],
        },
        { text: "Made." },
        { text: "I see." },
      ]);
      fixture.write("a.txt", lines.join(""));
      const git = (...words: readonly string[]) =>
        execFileSync("git", ["-c", "user.name=u", "-c", "user.email=u@x", ...words], {
          cwd: fixture.workspace,
        });
      git("init", "-q");
      await using terminal = fixture.emulate(["chat"], { rows: 40 });
      await terminal.shows("· cautious");
      terminal.type(`go${enter}`);
      await terminal.shows("Made.");
      terminal.type(`/diff${enter}`);
      await terminal.shows("3 hunks in 2 files");
      await terminal.shows(
        /→ a\.txt {2}@@ .* hunk 1\n {2}a\.txt {2}@@ .* hunk 2\n {2}b\.txt {2}@@ .* hunk 1/,
      );
      await terminal.shows(/\n-line 1\n\+first\n/);
      terminal.type("jjkx");
      await terminal.shows(/→ a\.txt {2}@@ .* hunk 2\n[\s\S]*\n-line 30\n\+last\n/);
      terminal.type("u");
      await terminal.shows("2 hunks in 2 files");
      expect(fixture.read("a.txt")).toBe(lines.join("").replace("line 1\n", "first\n"));
      terminal.type(escapeKey);
      await terminal.shows(/restored a\.txt\nTo revert this: \/redo/);
      terminal.type(`and now?${enter}`);
      await terminal.shows("I see.");
      expect(fixture.server.requests.at(-1)!.messages.at(-1)!.text).toContain("restored a.txt");
      git("add", "-A");
      git("commit", "-qm", "Keep \u001b[2J it");
      terminal.type(`/undo b.txt${enter}`);
      await terminal.shows(/Commit \w{7} "Keep .*contains these changes.*\nsearch:/);
      terminal.type(enter);
      await terminal.shows("Nothing was changed");
      expect(existsSync(join(fixture.workspace, "b.txt"))).toBe(true);
      terminal.type(`/undo b.txt${enter}`);
      await terminal.shows(/search: *\n→ Cancel/);
      terminal.type(`\u001b[B${enter}`);
      await terminal.shows("removed b.txt");
      expect(existsSync(join(fixture.workspace, "b.txt"))).toBe(false);
    });

    it("lets no model, file name or command control the terminal", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel([
        {
          text: `Text ${evil}`,
          calls: [patch(`a${evil}.txt`), command("printf '\\033[2J\\033]0;evil\\007bad\\n'; sleep 1")],
        },
        { text: `\`\`\`sh\n${evil}\n\`\`\`\n\n[link${evil}](http://x/${evil})\n\nThe end.` },
      ]);
      await using terminal = fixture.emulate(["chat", "--rule", "allow run **"], { rows: 40 });
      await terminal.shows("· cautious");
      const before = terminal.written.length;
      terminal.type(`go ${enter}`);
      await terminal.shows("The end.");
      terminal.type(control("o"));
      await terminal.shows("| cmd:");
      terminal.type(`\u001b[200~typed ${evil}\u001b[201~`);
      await terminal.shows("typed");
      const written = terminal.written.slice(before);
      // The screen itself ends links, and nothing else, with such a command.
      const commands = written.split("\u001b]").filter((rest) => !rest.startsWith("8;;"));
      expect([
        terminal.title,
        terminal.screen.includes("go"),
        commands.length,
        written.includes("\u009b"),
      ]).toEqual(["", true, 1, false]);
    });

    it("draws again after a resize, and keeps what has scrolled away", async () => {
      const paragraphs = Array.from({ length: 60 }, (_, index) => `Paragraph ${index}.`).join("\n\n");
      await using fixture = await cliWithModel([{ text: paragraphs }, { text: "Second." }]);
      await using terminal = fixture.emulate(["chat"], { columns: 100, rows: 30 });
      await terminal.shows("· cautious");
      terminal.type(`write${enter}`);
      await terminal.shows(/Paragraph 59\.\n\n.* written/);
      await terminal.resize(60, 20);
      await terminal.shows(`\n${"─".repeat(60)}\n`);
      await terminal.resize(90, 25);
      await terminal.shows(`\n${"─".repeat(90)}\n`);
      terminal.type(`more${enter}`);
      await terminal.shows("Second.");
      const all = terminal.everything;
      expect([all.includes("Paragraph 0."), all.includes("Paragraph 30."), all.includes("❯ write")]).toEqual([
        true,
        true,
        true,
      ]);
    });

    it("completes commands and files, and finds earlier input", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel(({ messages }) => ({
        text: `Heard: ${messages.at(-1)!.text}.`,
      }));
      fixture.write("src/alpha.ts", "");
      fixture.write(`src/alp${evil.replaceAll("/", "")}.ts`, "");
      fixture.write(".claude/commands/most.md", "---\nargument-hint: N\n---\nShow the most used $1.");
      fixture.write(".agents/skills/moving/SKILL.md", "---\ndescription: How to move\n---\nMove.");
      await using terminal = fixture.emulate(["chat"]);
      await terminal.shows("· cautious");
      terminal.type("/mo");
      await terminal.shows(
        /→ \/model .*\n {2}\/mode .*\n {2}\/most N +Show the most used \$1\.\n {2}\/moving +How to move/,
      );
      terminal.type("vi");
      await terminal.shows("→ /moving");
      terminal.type(`\t3 files${enter}`);
      await terminal.shows("Heard: Use the skill moving.\n\n3 files.");
      terminal.type("look at @alp");
      const listed = await terminal.shows("→ src/alpha.ts");
      expect(listed).toContain("To complete symbols, too: toolcrib index");
      terminal.type("\t");
      await terminal.shows("look at @src/alpha.ts");
      terminal.type(enter);
      await terminal.shows("Heard: look at @src/alpha.ts");
      terminal.type(control("r"));
      await terminal.shows("Earlier input");
      terminal.type("alph");
      await terminal.shows("→ look at @src/alpha.ts");
      terminal.type(enter);
      await terminal.shows(/─\nlook at @src\/alpha\.ts\n─/);
      expect(terminal.title).toBe("");
    });

    it("completes symbols of an indexed workspace, and attaches their code", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel(({ messages }) => ({ text: messages.at(-1)!.text }));
      fixture.write("my lib/parse.ts", "export class Parser {\n  readToken() {\n    return 1;\n  }\n}\n");
      fixture.write("other.ts", "export function readTokens() {}\n");
      expect((await fixture.runProcess("index")).exit).toBe(0);
      await using terminal = fixture.emulate(["chat"]);
      await terminal.shows("· cautious");
      terminal.type("see @readto");
      // A first look at the index may take longer than the list waits: the next key asks again.
      const isListed = () => {
        const isShown = terminal.screen.includes("→ readToken ");
        if (!isShown) terminal.type("\u007fo");
        return isShown;
      };
      await expect.poll(isListed, { interval: 1_500, timeout: 40_000 }).toBe(true);
      terminal.type("\t");
      await terminal.shows('see @"my lib/parse.ts#Parser.readToken"');
      terminal.type(enter);
      await terminal.shows(/<file path="my lib\/parse\.ts#Parser\.readToken">[\s\S]*readToken\(\) \{\s+3 \|/);
    });

    it("resumes a picked session, and edits an earlier message in a fork", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel(({ messages }) => ({
        text: `${messages.filter(({ role }) => role === "user").length}: ${messages.at(-1)!.text}`,
      }));
      await fixture.feed("apples\npears\n", "chat");
      await fixture.feed("stones\n", "chat");
      await using terminal = fixture.emulate(["chat", "--pick"], { rows: 40 });
      await terminal.shows("Continue a session");
      terminal.type("apple");
      await terminal.shows(/search: apple\s*\n→ \d\d-\d\d \d\d:\d\d {2}apples/);
      terminal.type(enter);
      await terminal.shows("2: pears");
      fixture.server.forget();
      terminal.type(escapeKey);
      await terminal.shows("Esc again edits an earlier message.");
      terminal.type(escapeKey);
      await terminal.shows("→ 2  pears");
      terminal.type(enter);
      await terminal.shows("A new session continues before message 2.");
      terminal.type(` and plums${enter}`);
      await terminal.shows("2: pears and plums");
      terminal.type(`/model${enter}`);
      await terminal.shows("Enter chooses");
      terminal.type("mini");
      await terminal.shows("→ openai/gpt-5-mini");
      terminal.type(enter);
      await terminal.shows("openai/gpt-5-mini · cautious");
    });

    it("rings when the user looks elsewhere, and attaches images", async () => {
      await using fixture = await cliWithModel([
        { calls: [command("rm x")] },
        { text: "Done." },
        { text: "Seen." },
      ]);
      const pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
      writeFileSync(join(fixture.workspace, "a picture.png"), Buffer.from(pixel, "base64"));
      fixture.write("fake.png", "no picture");
      await using terminal = fixture.emulate(["chat", "--mode", "safe"], { rows: 40 });
      await terminal.shows("· safe");
      terminal.type(`remove x${enter}`);
      terminal.type("\u001b[O");
      await terminal.shows("[y]es once");
      expect(terminal.written).toContain("\u0007\u001b]9;Toolcrib: waiting for your approval\u0007");
      terminal.type("n");
      await terminal.shows("Done.");
      terminal.type(`see 'a picture.png' and fake.png${enter}`);
      await terminal.shows("Attached: a picture.png\n");
      await terminal.shows("Seen.");
      expect([
        JSON.stringify(fixture.server.requests.at(-1)).includes(pixel),
        fixture.server.breaches,
      ]).toEqual([true, []]);
    });

    it("is suspended by Ctrl-Z, and continues with fg", async () => {
      await using fixture = await cliWithModel(({ messages }) => ({
        text: `Heard: ${messages.at(-1)!.text}.`,
      }));
      await using terminal = emulatedTerminal(["bash", "--norc", "--noprofile", "-i"], {
        cwd: fixture.workspace,
        env: { ...fixture.env, NO_COLOR: "1", LC_ALL: "C.UTF-8", PS1: "shell> " },
      });
      await terminal.shows("shell>");
      terminal.type(`${toCommandLine([process.execPath, launcher])} chat${enter}`);
      await terminal.shows("· cautious");
      for (const word of ["one", "two"]) {
        terminal.type("half typed");
        await terminal.shows("half typed");
        terminal.type(control("z"));
        await terminal.shows(/\[1\]\+ +Stopped[^[]*shell>$/);
        // The shell has the keyboard, with echo and whole lines.
        terminal.type(`stty -a | grep -o ' icanon' && echo $((40 + 2)) ${word}${enter}`);
        await terminal.shows(new RegExp(` icanon\\n42 ${word}\\nshell>$`));
        terminal.type(`clear${enter}`);
        await terminal.shows(/^shell>$/);
        terminal.type(`fg${enter}`);
        await terminal.shows(/half typed\n─+\nopenai/);
        terminal.type(`${control("c")}${word}${enter}`);
        await terminal.shows(`Heard: ${word}.`);
      }
      terminal.type(control("d"));
      await terminal.shows(/To continue: toolcrib chat --resume session_\w+\nshell>$/);
    });

    it("keeps the session when the process is killed", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel(({ messages }) => {
        const { role, text } = messages.at(-1)!;
        if (text === "work") return { text: "I begin.", calls: [patch("a.txt"), command("sleep 600")] };
        return { text: role === "user" ? `${messages.length} messages, ${text}.` : "Never." };
      });
      {
        await using terminal = fixture.emulate(["chat", "--rule", "allow run **"]);
        await terminal.shows("· cautious");
        terminal.type(`work${enter}`);
        await terminal.shows(/● process\.start sleep 600/);
        process.kill(terminal.pid, "SIGKILL");
        await terminal.exit;
      }
      await using terminal = fixture.emulate(["chat", "--resume", "last"]);
      await terminal.shows("I begin.");
      terminal.type(`go on${enter}`);
      await terminal.shows(/\d+ messages, go on\./);
      terminal.type(`/undo${enter}`);
      await terminal.shows("removed a.txt");
      expect([existsSync(join(fixture.workspace, "a.txt")), fixture.server.breaches]).toEqual([false, []]);
    });

    it("ends everything when the terminal closes or the process is asked to end", {
      tags: "slow",
    }, async () => {
      const seconds = `6${process.pid}`;
      await using fixture = await cliWithModel(() => ({ calls: [command(`echo up; sleep ${seconds}`)] }));
      for (const end of ["hang up", "SIGTERM"] as const) {
        await using terminal = fixture.emulate(["chat", "--rule", "allow run **"]);
        await terminal.shows("· cautious");
        terminal.type(`work${enter}`);
        await terminal.shows("\n  up\n");
        const { pid } = terminal;
        // The shell prints before it starts the next command.
        await expect.poll(() => isAlive(pid) && isRunning("sleep", seconds)).toBe(true);
        if (end === "SIGTERM") process.kill(pid, "SIGTERM");
        else terminal.hangUp();
        await expect.poll(() => isAlive(pid) || isRunning("sleep", seconds), { timeout: 60_000 }).toBe(false);
        // The end of its output may arrive after the end of the process.
        if (end === "SIGTERM") await expect.poll(() => terminal.written).toContain("\u001b[?2004l");
      }
    });
  });

function isRunning(...words: readonly string[]): boolean {
  return globSync("/proc/[0-9]*/cmdline").some(
    (file) => attempt(() => readFileSync(file, "utf8")) === `${words.join("\0")}\0`,
  );
}
