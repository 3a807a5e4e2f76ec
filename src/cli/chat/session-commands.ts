import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { Arguments } from "../command.ts";
import type { SessionStart } from "../session/session-options.ts";
import type { ListedSession } from "../session/stored-sessions.ts";
import { layTable, shorten, toLocalTime } from "../terminal.ts";
import type { Choice } from "./chat-front.ts";
import type { ChatSessions } from "./chat-sessions.ts";

/** `/plan` begins plan mode; `/plan accept` ends it and lets the model carry out its plan. */
export async function plan(chat: ChatSessions, step: string): Promise<string | undefined> {
  const { session } = chat;
  const wasPlanning = session.isPlanning;
  session.setPlanning(step === "" || step === "on");
  if (session.isPlanning)
    return "Plan mode is on: the model can only read. Describe the task; /plan accept carries out its plan.";
  if (step === "off") return "Plan mode is off.";
  if (!wasPlanning)
    throw new ToolError("invalid-input", "Plan mode is not on", { hint: "To plan first: /plan" });
  return (await chat.turn("I accept the plan. Carry it out.")) ? undefined : "leave";
}

/** `/model [PROVIDER/NAME]`. */
export async function changeModel(chat: ChatSessions, model: string): Promise<string | undefined> {
  if (model !== "") {
    await chat.whileBusy("opening the model", () => chat.session.use({ model }));
    return undefined;
  }
  const choices = await modelChoices(chat);
  const rows = choices.map(({ label, description = "" }) => [label, description]);
  return `The model is ${printableLine(chat.session.model.id)}.\nTo change it: /model PROVIDER/NAME\n${layTable(rows, "  ").trimEnd()}`;
}

/** The models of the providers that can be reached. */
export async function modelChoices(chat: ChatSessions): Promise<readonly Choice[]> {
  const { checkProviders } = await import("../../models/check-providers.ts");
  const { readModelSettings } = await import("../../agent/read-model-settings.ts");
  const reached = await chat.whileBusy("asking the providers", async () =>
    checkProviders({ settings: await readModelSettings(), variables: process.env }),
  );
  return reached.flatMap(({ models }) =>
    models.map(({ id, facts }) => ({
      value: id,
      label: printableLine(id),
      description: facts.contextTokens && `${facts.contextTokens.toLocaleString("en")} tokens`,
    })),
  ) as readonly Choice[];
}

/** `/new`: the settings of the user apply to the whole chat. */
export async function startNew(chat: ChatSessions): Promise<string> {
  const { id, turns, model } = chat.session;
  await switchTo(chat, {});
  const { toolcrib: crib } = chat.session;
  const before = turns > 0 ? ` To continue the previous one: /resume ${id}` : "";
  return `New session: ${printableLine(model.id)}, mode ${crib.mode}.${before}`;
}

/** `/fork [TURN]`: a new session with the conversation up to the end of a turn. */
export async function fork(chat: ChatSessions, turn: string): Promise<string> {
  if (turn !== "" && !/^[1-9]\d{0,5}$/.test(turn))
    throw new ToolError("invalid-input", `/fork takes the number of a turn, not "${printableLine(turn)}"`, {
      hint: "For example: /fork 2",
    });
  const { id, turns } = chat.session;
  if (turns === 0)
    throw new ToolError("unavailable", "There is nothing to fork yet", { hint: "Send a message first." });
  await switchTo(chat, { fork: { session: id, turn: turn === "" ? undefined : Number(turn) } });
  return `Forked from ${id} after turn ${turn === "" ? turns : turn}. Files stay as they are now.`;
}

/** `/resume SESSION` continues a session; `/resume [WORDS]` lists those whose task has these words. */
export async function resume(chat: ChatSessions, wanted: string): Promise<string> {
  if (!/^(?:last$|session_)/.test(wanted)) return describeSessions(await otherSessions(chat, wanted), wanted);
  const given = argumentsOf(chat);
  const { findSession } = await import("../session/stored-sessions.ts");
  const id = wanted === "last" ? (await otherSessions(chat, ""))[0]?.session : wanted;
  const session = await findSession(given, id ?? "last");
  if (session === chat.session.id)
    throw new ToolError("invalid-input", "This session is already open", {
      hint: "List others with /resume.",
    });
  await switchTo(chat, { resume: session });
  return `Resumed ${session}: ${printableLine(chat.session.model.id)}, turn ${chat.session.turns}.`;
}

/** The time comes first: a narrow screen has no room for the description. */
export function sessionChoices(sessions: readonly ListedSession[]): readonly Choice[] {
  return sessions.map(({ session, lastAt, state, turns, task }) => ({
    value: session,
    label: `${toLocalTime(lastAt).slice(5, 16)}  ${inOneLine(task, 60) || session}`,
    description: `${counted(turns, "turn")}, ${state}, ${session}`,
  }));
}

/** The sessions of a folder, newest first. Reads only the beginning and the end of each. */
export async function storedSessions(given: Arguments): Promise<readonly ListedSession[]> {
  const { listedSessions } = await import("../session/stored-sessions.ts");
  const { withJournal } = await import("../log/log.ts");
  return withJournal(given, (journal) => listedSessions(journal, maxSearched));
}

/** The other sessions of the chat's folder whose tasks have these words. */
export async function otherSessions(chat: ChatSessions, words: string): Promise<readonly ListedSession[]> {
  const wanted = words.toLowerCase().split(/\s+/);
  return (await storedSessions(argumentsOf(chat)))
    .filter(({ session }) => session !== chat.session.id)
    .filter(({ task }) => wanted.every((word) => task.toLowerCase().includes(word)))
    .slice(0, maxListed);
}

const maxSearched = 1_000;
const maxListed = 50;

function describeSessions(sessions: readonly ListedSession[], words: string): string {
  if (sessions.length === 0)
    return words === ""
      ? "No other sessions in this folder."
      : `No session has "${printableLine(words)}" in its task.`;
  const rows = sessions.map((stored) => [
    stored.session,
    toLocalTime(stored.lastAt),
    stored.state,
    counted(stored.turns, "turn"),
    inOneLine(stored.task, 60),
  ]);
  return `${layTable(rows).trimEnd()}\nTo continue one: /resume SESSION`;
}

export function inOneLine(text: string, maxChars: number): string {
  return printableLine(shorten(text.slice(0, 240).replace(/\s+/g, " ").trim(), maxChars));
}

/** Returns the arguments of a command in the folder of the chat. */
export function argumentsOf({ session }: ChatSessions): Arguments {
  const { target, workspace } = session.toolcrib;
  const place = target === undefined ? (["workspace", workspace] as const) : (["target", target] as const);
  return { options: new Map([place]), operands: [] };
}

/** Opens another session with the user's mode and, for a new one, model and plan mode. */
export async function switchTo(chat: ChatSessions, start: SessionStart): Promise<void> {
  const { model, reasoning, toolcrib: crib, isPlanning } = chat.session;
  const isNew = start.resume === undefined && start.fork === undefined;
  await chat.open(isNew ? { plan: isPlanning } : start);
  const { session } = chat;
  session.toolcrib.setMode(crib.mode);
  if (isNew && (model.id !== session.model.id || reasoning !== session.reasoning))
    await session.use({ model, reasoning });
}
