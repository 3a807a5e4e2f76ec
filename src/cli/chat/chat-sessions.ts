import type { AgentEvent } from "../../agent/event.ts";
import type { Session } from "../../agent/session.ts";
import { addUsage, noUsage } from "../../agent/spending.ts";
import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { TokenUsage } from "../../models/model.ts";
import type { Approve, CallOptions, CallResult } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { onInterruption } from "../interruption.ts";
import { callForUser } from "../session/call-for-user.ts";
import { LastRefusal } from "../session/exit-code-of-turn.ts";
import { openSession, PrintedWarnings } from "../session/open-session.ts";
import type { SessionStart } from "../session/session-options.ts";
import { attachFiles } from "./attach-files.ts";
import { attachImages } from "./attach-images.ts";
import type { ChatFront, ConfirmQuestion } from "./chat-front.ts";

/** A tool, or the reading of an MCP server's resource. */
type UserTool = keyof typeof activities | `${string}__resources/read`;

const activities = {
  "journal.diff": "reading the journal",
  "journal.undo": "restoring files",
  "journal.checkpoint": "setting a checkpoint",
  "shell.run": "running the command",
  "file.read": "reading the file",
  "file.list": "reading the folder",
  "code.read_symbol": "reading the symbol",
} as const;

/** Opens a session for a chat. `steer` takes messages of other programs. */
type OpenChatSession = (start: SessionStart, steer: (text: string) => void) => Promise<Session>;

/** The sessions of a chat, one after the other, on one front. */
export class ChatSessions {
  readonly given: Arguments;
  readonly front: ChatFront;
  readonly #refusal = new LastRefusal();
  readonly #notes: string[] = [];
  /** The tokens of each subagent of the open session. */
  readonly agentUsage = new Map<string, TokenUsage>();
  readonly #warnings = new PrintedWarnings();
  readonly #open: OpenChatSession;
  #session: Session | undefined;
  #isLeft = false;
  /** The exit code of the latest turn. */
  exitCode = 0;

  constructor(given: Arguments, front: ChatFront, open?: OpenChatSession) {
    this.given = given;
    this.front = front;
    this.#open =
      open ??
      ((start, steer) =>
        openSession(given, start, front.approve, { kind: "chat" }, { steer, elicit: front.elicit }));
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error("No session is open");
    return this.#session;
  }

  /** Replaces the open session. */
  async open(start: SessionStart): Promise<void> {
    const next = await this.#open(start, (text) => this.#takeMessage(text));
    await this.close();
    this.#session = next;
    this.#warnings.print(next.toolcrib.warnings);
    this.#notes.length = 0;
    this.agentUsage.clear();
    this.front.open(next);
    next.on((event) => {
      this.#refusal.hear(event);
      this.#countUsage(event);
      this.front.show(event);
    });
  }

  /** Ends the current turn and the chat. */
  leave(): void {
    this.#isLeft = true;
    this.front.leave();
    void this.#session?.abort();
  }

  /** Runs one turn. Input typed meanwhile is sent to the model. Returns false when the chat ends. */
  async turn(input: string): Promise<boolean> {
    const { session } = this;
    const interruption = onInterruption();
    interruption.signal.addEventListener("abort", () => void session.abort());
    const stopListening = this.front.listen((line) => this.#steer(line));
    try {
      const notes = this.#notes.splice(0).map((note) => `[${note}]\n\n`);
      const files = await attachFiles(this, input);
      // Only typed text names images: a note may contain the output of a command.
      const { images, attached } = attachImages(this.front.isInteractive ? input : "", session);
      if (attached.length > 0) this.front.showLine(`Attached: ${printableLine(attached.join(", "))}`);
      const text = `${notes.join("")}${input}${files}`;
      const result = await session.run([{ type: "text", text }, ...images]).result;
      this.exitCode = this.#refusal.exitCode(result);
    } finally {
      stopListening();
      interruption.stop();
      this.front.endTurn();
      this.#warnings.print(session.toolcrib.warnings);
    }
    const { aborted, reason } = interruption.signal;
    return !this.#isLeft && (!aborted || reason === "SIGINT");
  }

  /** Makes a call for the user, in the default dialect and, for typed input, without asking for approval. */
  callForUser(tool: UserTool, input: object, onEvent?: CallOptions["onEvent"]): Promise<CallResult> {
    // Text from a pipe may come from anywhere, so its commands need a rule.
    const isTyped = this.front.isInteractive || tool.startsWith("journal.");
    const approve: Approve = ({ hash }) => ({ allow: true, hash });
    const activity =
      tool in activities ? activities[tool as keyof typeof activities] : "reading the resource";
    return this.whileBusy(activity, (signal) =>
      callForUser(this.session.toolcrib, tool, input, {
        signal,
        onEvent,
        approve: isTyped ? approve : undefined,
      }),
    );
  }

  /** Asks the user. Refuses where no user can be asked. */
  confirm(question: ConfirmQuestion): Promise<boolean> {
    if (this.front.confirm) return this.front.confirm(question);
    throw new ToolError("needs-approval", question.warning, { hint: question.otherwise });
  }

  /** Shows progress during the work. Ctrl-C cancels the work, not the chat. */
  whileBusy<Result>(doing: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.front.whileBusy(doing, (signal) => {
      signal.addEventListener("abort", () => void this.#session?.abort());
      return work(signal);
    });
  }

  /** Adds a note to the model's next input. */
  note(text: string): void {
    this.#notes.push(text);
  }

  async close(): Promise<void> {
    if (this.#session === undefined) return;
    await this.#session.close();
    this.#warnings.print(this.#session.toolcrib.warnings);
    this.#session = undefined;
  }

  #countUsage(event: AgentEvent): void {
    if (event.type !== "usage" || event.agent === undefined) return;
    const { agent, usage } = event;
    this.agentUsage.set(agent, addUsage(this.agentUsage.get(agent) ?? noUsage, usage));
  }

  /** Takes a message of another program. Between two turns it starts the next one, and never runs a command of the chat. */
  #takeMessage(text: string): void {
    if (text.trim() === "") return;
    if (this.session.state === "idle") this.front.submit(/^[/!]/.test(text) ? ` ${text}` : text);
    else this.session.steer(text);
  }

  #steer(line: string): void {
    if (line.trim() === "") return;
    if (/^[/!]/.test(line))
      this.front.showLine("Commands are not available while the model works. Ctrl-C stops it.");
    else this.session.steer(line);
  }
}
