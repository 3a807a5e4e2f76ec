import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliWithModel, cliWithModel } from "../../../test/support/cli-with-model.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { withoutProgress } from "../../../test/support/without-progress.ts";
import { completeChatLine } from "./chat-commands.ts";

const patch = (path: string) => ({
  name: "apply_patch",
  input: `*** Begin Patch\n*** Add File: ${path}\n+made\n*** End Patch`,
});
const command = (cmd: string) => ({ name: "exec_command", input: { cmd } });

const isThere = ({ workspace }: CliWithModel, path: string) => existsSync(join(workspace, path));

it("completes commands and their arguments", () => {
  const values = ["/mo", "/mode c", "/mode ", "/undo 1", "/nothing x", "mo"].map((line) => {
    const [choices, replaced] = completeChatLine(line);
    return [choices.map(({ value }) => value), replaced];
  });
  expect(values).toEqual([
    [["/model", "/mode"], "/mo"],
    [["cautious"], "c"],
    [["safe", "cautious", "paranoid", "yolo"], ""],
    [[], "1"],
    [[], "x"],
    [[], "mo"],
  ]);
});

describe("toolcrib chat, with input from a program", () => {
  it("runs each line as a turn, without prompts or echo", async () => {
    await using fixture = await cliWithModel(({ messages }) => ({
      text: `You said ${messages.at(-1)!.text}.`,
    }));
    const { exit, stdout, stderr } = await fixture.feed("one\n\ntwo\\\nlines\nlast", "chat");
    expect([exit, stdout, stderr.includes(">"), fixture.server.breaches]).toEqual([
      0,
      "You said one.\nYou said two\nlines.\nYou said last.\n",
      false,
      [],
    ]);
  });

  it("shows and undoes the changes of the session, and informs the model", async () => {
    await using fixture = await cliWithModel([
      { calls: [patch("a.txt")] },
      { text: "Made." },
      { text: "I see." },
    ]);
    const { exit, stdout, stderr } = await fixture.feed(
      "make it\n/diff\n/undo\n/diff\n/undo\nwell?\n",
      "chat",
    );
    expect([exit, stdout, isThere(fixture, "a.txt")]).toEqual([0, "Made.\nI see.\n", false]);
    expect(withoutProgress(stderr)).toMatch(
      /\n--- \/dev\/null\n\+\+\+ b\/a\.txt\n@@ -0,0 \+1,1 @@ hunk 1\n\+made\nTo undo one file: \/undo a\.txt\nUndid call_\w+, 1 path:\nremoved a\.txt\nTo revert this: \/redo\nNo files were changed\.\nThere is nothing to undo/,
    );
    expect(fixture.server.requests.at(-1)!.messages.at(-1)!.text).toMatch(
      /^\[The user undid some of your changes with \/undo\. Undid call_\w+, 1 path:\nremoved a\.txt\]\n\nwell\?$/,
    );
  });

  it("changes mode, model and reasoning during a session", async () => {
    await using fixture = await cliWithModel([
      { calls: [patch("a.txt")] },
      { text: "Not allowed." },
      { calls: [patch("a.txt")] },
      { text: "Made." },
    ]);
    const { stderr } = await fixture.feed(
      "/mode safe\nmake it\n/mode cautious\n/model openai/gpt-5-mini\n/reasoning high\nagain\n/mode\n/model\n/reasoning\n",
      "chat",
    );
    const notices = stderr
      .split("\n")
      .filter((line) => /^(?:The mode|The model|The reasoning|Model:)/.test(line));
    const bodies = fixture.server.requests.map(({ body }) => body as { readonly model: string });
    expect([
      notices,
      isThere(fixture, "a.txt"),
      bodies.map(({ model }) => model),
      fixture.server.requests.at(-1)!.reasoning,
    ]).toEqual([
      [
        "The mode is safe.",
        "The mode is cautious.",
        "Model: openai/gpt-5-mini",
        "Model: openai/gpt-5-mini, reasoning high",
        "The mode is cautious.",
        "The model is openai/gpt-5-mini.",
        "The reasoning effort is high.",
      ],
      true,
      ["gpt-5", "gpt-5", "gpt-5-mini", "gpt-5-mini"],
      "high",
    ]);
  });

  it("explains wrong commands, and continues", async () => {
    await using fixture = await cliWithModel(({ messages }) => ({ text: messages.at(-1)!.text }));
    const { exit, stdout, stderr } = await fixture.feed(
      "/unod\n/mode save\n/fork x\n/exit now\n /etc/hosts\n/quit\nno",
      "chat",
    );
    expect([exit, stdout, stderr.split("\n").slice(0, 8)]).toEqual([
      0,
      " /etc/hosts\n",
      [
        "Unknown command: /unod",
        "Did you mean /undo?",
        '/mode takes one of safe, cautious, paranoid, yolo, not "save"',
        "Did you mean safe?",
        '/fork takes the number of a turn, not "x"',
        "For example: /fork 2",
        '/exit takes no argument, not "now"',
        "See: /help",
      ],
    ]);
  });

  it("keeps the settings in a new session", async () => {
    await using fixture = await cliWithModel([]);
    const lines =
      "/mode paranoid\n/model openai/gpt-5-mini\n/reasoning high\n/new\n/mode\n/model\n/reasoning\n";
    const { stderr } = await fixture.feed(lines, "chat");
    expect(
      stderr
        .split("New session: ")[1]
        ?.split("\n")
        .filter((line) => !/^(?:Model: |To change| {2}openai)/.test(line)),
    ).toEqual([
      "openai/gpt-5-mini, mode paranoid.",
      "The mode is paranoid.",
      "The model is openai/gpt-5-mini.",
      "The reasoning effort is high.",
      "",
    ]);
  });

  it("starts a new session, lists sessions, and resumes one", async () => {
    await using fixture = await cliWithModel(({ messages }) => ({ text: `${messages.length} messages.` }));
    const { stdout, stderr } = await fixture.feed("one\ntwo\n/usage\n/new\nthree\n/sessions\n", "chat");
    const [, first] = /\/resume (session_\w+)/.exec(stderr) ?? [];
    const later = await fixture.feed("four\n", "chat", "--resume", first!);
    expect([stdout.split("\n").slice(0, 3), later.stdout]).toEqual([
      ["1 messages.", "3 messages.", "1 messages."],
      "5 messages.\n",
    ]);
    expect(stderr).toMatch(/^session_\w+ .* 2 turns .* one\nTo continue one: \/resume SESSION$/m);
    expect(stderr).toMatch(/^session_\w+: 2 turns, [\d ]+ tokens read, \d+ written/m);
  });

  it("exits with the code of the last turn", async () => {
    await using fixture = await cliWithModel([{ text: "Fine." }, { fault: { status: 401 } }]);
    expect((await fixture.feed("one\ntwo\n", "chat")).exit).toBe(1);
  });
});

if (!hasTerminals) it.skip("chat on a terminal (skipped: `script` of util-linux is missing)", () => {});
else
  describe("toolcrib chat, in plain lines on a terminal", () => {
    const plain = { NO_COLOR: "1" };

    it("converses, and accepts input while the model works", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel((request) => {
        const { text, role } = request.messages.at(-1)!;
        if (role === "user" && text === "begin") return { text: "Working.", calls: [command("sleep 2")] };
        return { text: `Heard: ${text}.` };
      });
      const rules = ["--rule", "allow run sleep *"];
      const { exit, screen } = await fixture.onTerminal(
        ["chat", "--plain", ...rules],
        [
          ["> ", "begin\r"],
          ["Working.", "use tabs\n"],
          ["Heard: use tabs.", ""],
          ["> ", "/exit\r"],
        ],
        plain,
      );
      expect([exit, screen.includes("Sent to the model: use tabs"), fixture.server.requests.length]).toEqual([
        0,
        true,
        2,
      ]);
    });

    it("asks for approval during a conversation", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel([{ calls: [command("rm x")] }, { text: "Gone." }]);
      fixture.write("x", "");
      const { exit } = await fixture.onTerminal(
        ["chat", "--plain", "--mode", "safe"],
        [
          ["> ", "remove x\r"],
          ["[e]xplain", "y\n"],
          ["Gone.", ""],
          ["> ", "\u0004"],
        ],
        plain,
      );
      expect([exit, isThere(fixture, "x")]).toEqual([0, false]);
    });

    it("stops a turn with Ctrl-C and continues with the next", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel([
        { text: "Waiting.", calls: [command("sleep 60")] },
        { text: "Still here." },
      ]);
      const { exit, screen } = await fixture.onTerminal(
        ["chat", "--plain", "--rule", "allow run sleep *"],
        [
          ["> ", "wait\r"],
          ["Waiting.", "\u0003"],
          ["Stopped.", ""],
          ["> ", "well?\r"],
          ["Still here.", ""],
          ["> ", "\u0003"],
          ["To leave:", "\u0003"],
        ],
        plain,
      );
      expect([
        exit,
        screen.includes("To continue: toolcrib chat --resume session_"),
        fixture.server.breaches,
      ]).toEqual([0, true, []]);
    });

    it("sends pasted text as one message", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel(({ messages }) => ({
        text: `${JSON.stringify(messages.at(-1)!.text)} heard.`,
      }));
      const { screen } = await fixture.onTerminal(
        ["chat", "--plain"],
        [
          ["> ", "one\rtwo\\\rthree\r"],
          ["heard.", ""],
          ["> ", "more\\\r"],
          ["… ", "to come\r"],
          ["heard.", ""],
          ["> ", "\u0004"],
        ],
        plain,
      );
      expect([
        screen.includes('"one\\ntwo\\\\\\nthree" heard.'),
        screen.includes('"more\\nto come" heard.'),
      ]).toEqual([true, true]);
    });
  });
