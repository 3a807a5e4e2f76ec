import type { Command } from "../command.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { sessionOptionList } from "../session/session-option-list.ts";

/** `toolcrib chat` */
export const chatCommand: Command = {
  name: "chat",
  summary: "Talk to a model that has these tools",
  usage: ["chat [options]"],
  notes: [
    "Commands begin with a slash: /help shows them. /undo takes back changes, /diff shows them, /mode and /model change",
    "what is asked and who answers. A line that ends with \\ goes on in the next; what is pasted may have many lines.",
    "What you type while the model works is told to it between its calls. Ctrl-C stops the turn; at the prompt, Ctrl-D leaves.",
    "Where the standard input is no terminal, each of its lines is a turn, and nothing is asked.",
  ],
  options: sessionOptionList,
  examples: [
    { command: "toolcrib chat", shows: "with the first model that is found" },
    { command: "toolcrib chat -m openai/gpt-5 --reasoning high", shows: "a certain one, that thinks hard" },
    { command: "toolcrib chat --resume last", shows: "go on where you stopped" },
    { command: "toolcrib chat --mode safe", shows: "be asked before anything is written" },
  ],
  async run(given) {
    refuseOperands(given.operands, chatCommand);
    return (await import("../chat/chat.ts")).chat(given);
  },
};
