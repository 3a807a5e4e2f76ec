import type { Command } from "../command.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { demoOption, refuseWithDemo, sessionOptionList } from "../session/session-option-list.ts";

export const chatCommand: Command = {
  name: "chat",
  summary: "Chat with a model that has these tools",
  usage: [["chat [options]"]],
  notes: [
    "Type /help for the commands: /undo reverts changes, /diff shows them, /mode and /model switch. Ctrl-O unfolds calls.",
    "A message typed while the model works is sent to it between calls. Esc or Ctrl-C stops the turn; Ctrl-D exits.",
    "Without a terminal, each line of standard input is a turn, and calls that need approval are refused.",
  ],
  options: [
    ...sessionOptionList,
    { name: "pick", summary: "choose a session to continue from a list" },
    { name: "plain", summary: "plain lines instead of a screen, for screen readers" },
    demoOption,
  ],
  examples: [
    ["toolcrib chat --demo", "no key or network needed"],
    ["toolcrib chat", "use the default model"],
    ["toolcrib chat -m openai/gpt-5 --reasoning high", "choose a model and its effort"],
    ["toolcrib chat --resume last", "continue the latest session"],
    ["toolcrib chat --mode safe", "approve every write"],
  ],
  async run(given) {
    refuseOperands(given.operands, chatCommand);
    if (given.options.has("demo")) refuseWithDemo(given.options, ["plain", "verbose"]);
    return (await import("../chat/chat.ts")).chat(given);
  },
};
