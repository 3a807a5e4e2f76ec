import { ToolError } from "../../contract/error.ts";
import type { Command } from "../command.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { print } from "../terminal.ts";

const shells = ["bash", "zsh", "fish"] as const;

export const completionCommand: Command = {
  name: "completion",
  summary: "Print a shell completion script",
  usage: [
    [`completion ${shells.join("|")}`, "print the script of a shell"],
    ["completion words -- WORD ...", "print what can complete the last word; the scripts call it"],
  ],
  options: [],
  examples: [
    ['eval "$(toolcrib completion bash)"', "in ~/.bashrc"],
    ['eval "$(toolcrib completion zsh)"', "in ~/.zshrc, after compinit"],
    ["toolcrib completion fish | source", "in ~/.config/fish/config.fish"],
  ],
  operand: shells,
  async run({ operands: [shell, ...rest] }) {
    if (shell === "words") return printCompletions(rest);
    refuseOperands(rest, completionCommand);
    if (!isShell(shell))
      throw new ToolError("invalid-input", `A shell is missing: ${shells.join(", ")}`, {
        hint: 'For example: eval "$(toolcrib completion bash)"',
      });
    const { completionScript } = await import("../completion.ts");
    print(completionScript(shell));
    return 0;
  },
};

/** Prints no error, because the user is typing. */
async function printCompletions(words: readonly string[]): Promise<number> {
  const [{ commands }, { completeWords }] = await Promise.all([
    import("./commands.ts"),
    import("../complete-words.ts"),
  ]);
  print(await completeWords(words, commands).catch(() => "words\n"));
  return 0;
}

export type Shell = (typeof shells)[number];

function isShell(word: string | undefined): word is Shell {
  return shells.some((shell) => shell === word);
}
