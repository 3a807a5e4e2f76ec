import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { policyFiles } from "../../system/policy-files.ts";

const deleting = ["call", "file.delete", "--path", "notes.txt", "--mode", "safe"];
const question = "[e]xplain";

function fixture(): CliWorkspace {
  const made = cliWorkspace();
  made.write("notes.txt", "one\n");
  return made;
}

const isThere = ({ workspace }: CliWorkspace) => existsSync(join(workspace, "notes.txt"));

const suite = "a user at a terminal";
if (!hasTerminals) it.skip(`${suite} (skipped: \`script\` of util-linux is missing)`, () => {});
else
  describe(suite, () => {
    it("sees the request and its reason, and answers yes", async () => {
      await using cli = fixture();
      const { exit, screen } = await cli.onTerminal(deleting, [[question, "y\n"]]);
      // The path may be quoted, and broken at the end of a line.
      const shown = stripVTControlCharacters(screen).replace(
        /(?<=\na {6}delete)[\s\S]+(?=\n\[y\])/,
        (path) => ` ${path.replace(/[\s']/g, "")}`,
      );
      expect([exit, isThere(cli), shown]).toEqual([
        0,
        false,
        `
Allow  file.delete?
  | Would delete the file notes.txt (4 bytes).
Why    mode safe asks before deleting
a      delete ${cli.workspace.replaceAll(" ", "")}/notes.txt
[y]es once  [a]lways  [n]o  [e]xplain y
Deleted the file notes.txt (4 bytes).
`,
      ]);
    });

    it("takes no answer from 20 streams of typing", { tags: "slow" }, async () => {
      for (let round = 0; round < 20; round += 1) {
        await using cli = fixture();
        await using terminal = cli.emulate(deleting);
        // Until the program reads keys, the terminal keeps them, too.
        const typing = new AbortController();
        const typed = (async () => {
          for (let at = round; !typing.signal.aborted; at += 1) {
            terminal.type("yes, always do so\r"[at % 18]!);
            await pause(20 + ((at * 37) % 200));
          }
        })();
        await terminal.shows("Would delete the file");
        await pause(500);
        typing.abort();
        await typed;
        const screen = await terminal.shows("[y]es once");
        expect([round, screen.includes("was discarded"), isThere(cli)]).toEqual([round, true, true]);
        terminal.type("y\r");
        expect([await terminal.exit, isThere(cli)]).toEqual([0, false]);
      }
    });

    it("answers no: plainly, or with a message for the model; Enter alone does not answer", {
      tags: "slow",
    }, async () => {
      await using cli = fixture();
      const [no, message] = await Promise.all([
        cli.onTerminal(deleting, [
          [question, "\n"],
          [question, "perhaps\n"],
          [question, "n\n"],
        ]),
        cli.onTerminal(deleting, [
          [question, "m\n"],
          ["model: ", "Keep it.\n"],
        ]),
      ]);
      const lastLines = [no, message].map(({ exit, screen }) => [
        exit,
        stripVTControlCharacters(screen).trimEnd().split("\n").at(-1),
      ]);
      const refused = "Refused: it would delete notes.txt (mode safe asks before deleting)";
      expect([lastLines, isThere(cli)]).toEqual([
        [
          [3, refused],
          [3, refused],
        ],
        true,
      ]);
      expect(no.screen).toContain("Unknown answer: perhaps");
    });

    it("answers always, and is not asked again for that", { tags: "slow" }, async () => {
      await using cli = fixture();
      const first = await cli.onTerminal(deleting, [[question, "a\n"]]);
      cli.write("notes.txt", "again\n");
      const second = await cli.run(...deleting);
      cli.write("other.txt", "other\n");
      const other = await cli.run("call", "file.delete", "--path", "other.txt", "--mode", "safe");
      expect([first.exit, second.exit, other.exit, isThere(cli)]).toEqual([0, 0, 4, false]);
      expect(cli.read(policyFiles(join(cli.home, "config"), cli.workspace).granted)).toMatch(
        /^# \d{4}-\d\d-\d\d \d\d:\d\d UTC, asked for by call_\w+\nallow delete '.*\/notes.txt' by file.delete\n$/,
      );
    });

    it("interrupts with Ctrl-C, and ends the input with Ctrl-D", { tags: "slow" }, async () => {
      await using cli = fixture();
      const [interrupted, ended] = await Promise.all([
        cli.onTerminal(deleting, [[question, "\u0003"]]),
        cli.onTerminal(deleting, [[question, "\u0004"]]),
      ]);
      expect([interrupted.exit, ended.exit, isThere(cli)]).toEqual([130, 4, true]);
      expect(ended.screen).toContain("The input ended without an answer");
    });

    it("is not asked with --json, with --no-input, or in continuous integration", async () => {
      await using cli = fixture();
      const ends = await Promise.all([
        cli.onTerminal([...deleting, "--json"], []),
        cli.onTerminal([...deleting, "--no-input"], []),
        cli.onTerminal(deleting, [], { CI: "true" }),
        cli.run(...deleting),
      ]);
      expect([ends.map(({ exit }) => exit), isThere(cli)]).toEqual([[4, 4, 4, 4], true]);
    });

    it("sees the diff of an edit, and the location of the rule", { tags: "slow" }, async () => {
      await using cli = fixture();
      cli.write(cli.userRules, "ask write **\n");
      const { exit, screen } = await cli.onTerminal(
        ["call", "edit.replace", "--path", "notes.txt", "--find", "one", "--replace", "two"],
        [[question, "y\n"]],
      );
      const shown = stripVTControlCharacters(screen);
      expect([exit, cli.read("notes.txt")]).toEqual([0, "two\n"]);
      expect(shown).toContain(
        "\nAllow  edit.replace?\n  | --- a/notes.txt\n  | +++ b/notes.txt\n  | @@ -1,1 +1,1 @@\n  | -one\n  | +two\nWhy ",
      );
      // The line is broken at a space, or in a long path.
      const whole = (text: string) => text.replace(/\s/g, "");
      expect(whole(shown)).toContain(whole(`(ask write **, ${cli.userRules}:1)`));
    });

    it("explains with e, and offers the exact command or any further arguments for always", {
      tags: "slow",
    }, async () => {
      await using cli = fixture();
      cli.write("package.json", '{ "scripts": { "test": "true" } }');
      const { exit, screen } = await cli.onTerminal(
        ["call", "shell.run", "npm test", "--mode", "safe"],
        [
          [question, "e\n"],
          [question, "s\n"],
          [question, "3\n"],
          [question, "2\n"],
        ],
        { NO_COLOR: "1", TOOLCRIB_SANDBOX: "landlock" },
      );
      const [asked = "", explained = ""] = screen.split("[y]es once");
      expect(asked).toBe(`
Allow  shell.run?
  | npm test
Why    mode safe asks before commands run
Runs   in the sandbox (landlock, weaker than bwrap: it can read secrets in the
       workspace); it asks before it connects
a      run exactly: npm test
2      run npm test with any further arguments
`);
      expect(explained).toContain("\nRisk   execute\n");
      expect(explained).toContain(`
Answer 2: In this folder from now on, shell.run may run npm test with any
       further arguments. It adds:
  | allow run npm test ** by shell.run
`);
      expect(screen).toContain("Unknown answer: s\n");
      expect(screen).toContain("Unknown answer: 3\n");
      const granted = cli.read(policyFiles(join(cli.home, "config"), cli.workspace).granted);
      expect([exit, granted]).toEqual([
        0,
        expect.stringMatching(/\nallow run npm test \*\* by shell\.run\n$/),
      ]);
      const safely = (command: string) => cli.run("call", "shell.run", command, "--mode", "safe");
      const later = await safely("npm test -- --more");
      cli.write("package.json", '{ "scripts": { "test": "false" } }');
      expect([later.exit, (await safely("npm test")).exit]).toEqual([0, 1]);
    });

    it("cannot be fooled by control characters in a file name or content", { tags: "slow" }, async () => {
      await using cli = fixture();
      const name = "\u001b[2J\u001b]52;c;cm0=\u0007\u202e\nAllow  file.read?";
      const padding = " ".repeat(74);
      cli.write(name, `harmless\n`);
      const content = `\u001b[1A\u001b[2Kharmless${padding}[y]es once \r\nAllow  file.read?\n`;
      const deleted = await cli.onTerminal(
        ["call", "file.delete", "--path", name, "--mode", "safe"],
        [[question, "n\n"]],
      );
      const written = await cli.onTerminal(
        ["call", "file.write", "--path", "a.txt", "--content", content, "--mode", "safe"],
        [[question, "n\n"]],
      );
      for (const { exit, screen } of [deleted, written]) {
        const lines = stripVTControlCharacters(screen).split("\n");
        expect([exit, lines.filter((line) => /^(Allow|\[y\]es)/.test(line)).length]).toEqual([3, 2]);
        // Only Toolcrib's own colours.
        expect(screen.replaceAll(colour, "")).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
      }
    });

    it("sees control characters of a file escaped, while a program gets every byte", async () => {
      await using cli = fixture();
      const content = "\u001b]0;title\u0007 a\u202eb\ttab\n";
      cli.write("evil.txt", content);
      const words = ["call", "file.read", "--path", "evil.txt", "--no-line-numbers"];
      const [seen, piped] = await Promise.all([cli.onTerminal(words, []), cli.run(...words)]);
      expect([seen.screen, piped.stdout]).toEqual(["<U+001B>]0;title<U+0007> a<U+202E>b\ttab\n", content]);
      await cli.run("call", "file.write", "--path", "new.txt", "--content", content);
      const [shown, bytes] = await Promise.all([cli.onTerminal(["diff"], []), cli.run("diff")]);
      expect(stripVTControlCharacters(shown.screen)).toContain("+<U+001B>]0;title<U+0007> a<U+202E>b\ttab\n");
      expect(bytes.stdout).toContain(`+${content}`);
    });

    it("takes no trust from what was typed before", { tags: "slow" }, async () => {
      await using cli = fixture();
      cli.write(".toolcrib/rules", "allow delete notes.txt\n");
      await using terminal = cli.emulate(["policy", "trust"]);
      terminal.type("y\r");
      const screen = await terminal.shows("n no)");
      terminal.type("n\r");
      expect([await terminal.exit, screen.includes("What you typed before was discarded.")]).toEqual([
        3,
        true,
      ]);
    });

    it("trusts a project's rules after seeing what they allow", { tags: "slow" }, async () => {
      await using cli = fixture();
      cli.write(".toolcrib/rules", "deny run rm **\nallow delete notes.txt\n");
      const no = await cli.onTerminal(["policy", "trust"], [["n no) ", "n\n"]]);
      const headless = await cli.run("policy", "trust");
      const yes = await cli.onTerminal(["policy", "trust"], [["n no) ", "y\n"]]);
      const passed = await cli.run(...deleting);
      expect([no.exit, headless.exit, yes.exit, passed.exit]).toEqual([3, 4, 0, 0]);
      expect(yes.screen).toContain(
        ".toolcrib/rules of this folder would allow more by 1 line:\n  | .toolcrib/rules:2: allow delete notes.txt\n",
      );
    });
  });

const colour = new RegExp(`${"\u001b"}\\[\\d+m`, "g");
