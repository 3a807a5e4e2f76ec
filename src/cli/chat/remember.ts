import { join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { callForUser, contentOf } from "../session/call-for-user.ts";
import type { ChatSessions } from "./chat-sessions.ts";

/** Runs `/remember`: appends a line to AGENTS.md of the workspace, after the user has seen the diff and agreed. */
export async function remember(chat: ChatSessions, text: string): Promise<string> {
  if (text === "")
    throw new ToolError("invalid-input", "/remember needs a text", {
      hint: "For example: /remember Run npm test before you finish.",
    });
  const { toolcrib: crib } = chat.session;
  const before = await presentText(chat);
  const lineEnd = before.includes("\r\n") ? "\r\n" : "\n";
  const gap = before === "" || before.endsWith("\n") ? "" : lineEnd;
  const content = `${before}${gap}- ${printableLine(text)}${lineEnd}`;
  const mustAsk = "/remember changes the instructions of the project";
  const options = { approve: chat.front.approve, mustAsk, isUser: false };
  contentOf(await callForUser(crib, "file.write", { path: file, content }, options));
  chat.note(`The user added this to ${file}: ${printableLine(text)}`);
  return `Added to ${file}. To revert it: /undo`;
}

const file = "AGENTS.md";
const maxBytes = 1024 * 1024;

/** Returns the whole present text; "" when there is no file. */
async function presentText({ session: { toolcrib: crib } }: ChatSessions): Promise<string> {
  const path = join(crib.workspace, file);
  const { files, refused } = await crib.projectFiles([file], maxBytes);
  const refusal = refused.find((each) => each.path === path);
  if (refusal) throw new ToolError("denied", `${file} cannot be read: ${printableLine(refusal.reason)}`);
  const present = files.find((each) => each.path === path);
  if (present?.isWhole === false)
    throw new ToolError("too-large", `${file} is too large to append to`, {
      hint: "Edit it in your editor.",
    });
  return present?.text ?? "";
}
