import {
  type AgentContext,
  type ContentBlock,
  methods,
  type PromptResponse,
  RequestError,
  type SessionModeState,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { AgentEvent, TurnResult } from "../../agent/event.ts";
import type { Session } from "../../agent/session.ts";
import { ToolError, textForUser } from "../../contract/error.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import type { HubOptions } from "../../mcp/hub/connect-hub.ts";
import { ModelError } from "../../models/model-error.ts";
import type { PolicyMode } from "../../policy/policy.ts";
import type {
  Approval,
  ApprovalRequest,
  CallResult,
  ChangedFiles,
  ClientInfo,
} from "../../toolcrib/index.ts";
import type { ConfirmQuestion } from "../chat/chat-front.ts";
import type { Arguments } from "../command.ts";
import { callForUser } from "../session/call-for-user.ts";
import { broughtCommands, customMessage } from "../session/custom-commands.ts";
import { askInEditor } from "./permission.ts";
import { readPrompt } from "./prompt-content.ts";
import { SessionUpdates } from "./session-updates.ts";
import { type SlashCommand, slashCommands } from "./slash-commands.ts";

export interface AcpSessionOptions {
  readonly given: Arguments;
  /** The folder that the editor shows: the workspace, or the folder of this machine that stands for one on a target. */
  readonly folder: string;
  readonly client: AgentContext;
  readonly editor: ClientInfo;
  readonly servers: HubOptions["servers"];
  readonly resume?: string | undefined;
  /** Whether the client shows notices. Otherwise they go to its log. */
  readonly hasNotices: boolean;
  readonly log: (text: string) => void;
}

/** One session of an editor. */
export class AcpSession {
  readonly #options: AcpSessionOptions;
  readonly #session: Session;
  readonly #updates: SessionUpdates;
  readonly #notes: string[] = [];
  readonly #shownWarnings = new Set<string>();
  #isBusy = false;
  #limit: string | undefined;

  static async open(options: AcpSessionOptions): Promise<AcpSession> {
    const { openSession } = await import("../session/open-session.ts");
    const { given, resume, servers, editor } = options;
    let opened: AcpSession | undefined;
    const session = await openSession(
      given,
      { resume },
      (request, signal) => opened?.approve(request, signal) ?? { allow: false },
      editor,
      { servers },
    );
    opened = new AcpSession(options, session);
    return opened;
  }

  private constructor(options: AcpSessionOptions, session: Session) {
    this.#options = options;
    this.#session = session;
    this.#updates = new SessionUpdates({
      workspace: options.folder,
      send: (update) => this.send(update),
      notice: (severity, title) => this.notice(severity, title),
      changesOf: (callId) => this.#changesOf(callId),
    });
    session.on((event) => this.#hear(event));
  }

  get id(): string {
    return this.#session.id;
  }

  /** The folder that the editor shows. */
  get folder(): string {
    return this.#options.folder;
  }

  get session(): Session {
    return this.#session;
  }

  get modes(): SessionModeState {
    return { currentModeId: this.mode, availableModes: [...modeList] };
  }

  /** The current mode. Plan mode comes first, because it denies more than the others. */
  get mode(): AcpMode {
    return this.#session.isPlanning ? "plan" : this.#session.toolcrib.mode;
  }

  /** Tells the client what it cannot know from the response: the commands, and the warnings so far. */
  async introduce(): Promise<void> {
    const names = new Set(slashCommands.map(({ name }) => name));
    const brought = (await broughtCommands(this.#session)).filter(({ name }) => !names.has(name));
    const all = [...slashCommands, ...brought.map(({ takes, ...command }) => ({ ...command, hint: takes }))];
    await this.send({
      sessionUpdate: "available_commands_update",
      availableCommands: all.map(({ name, description, hint = "" }) =>
        hint === "" ? { name, description } : { name, description, input: { hint } },
      ),
    });
    this.#showWarnings();
  }

  /** Runs one turn, or a command of Toolcrib. A second prompt meanwhile is refused. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    if (this.#isBusy)
      throw RequestError.invalidRequest(
        undefined,
        "A turn is running in this session. Wait for its end, or cancel it.",
      );
    const cancel = () => void this.cancel();
    this.#isBusy = true;
    this.#limit = undefined;
    signal.addEventListener("abort", cancel);
    try {
      const { typed, command, argument } = commandIn(blocks);
      if (command) return await this.#runCommand(command, argument);
      const message = await customMessage(this.#session, typed);
      const sent =
        message === undefined ? blocks : [{ type: "text" as const, text: message }, ...blocks.slice(1)];
      const content = readPrompt(sent, this.#options.folder);
      const notes = this.#notes.splice(0).map((note) => ({ type: "text" as const, text: `[${note}]\n\n` }));
      const result = await this.#session.run([...notes, ...content]).result;
      await this.#updates.settled();
      return { stopReason: this.#stopReasonOf(result) };
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#isBusy = false;
      this.#showWarnings();
    }
  }

  /** Ends the running turn and everything it started. */
  cancel(): Promise<void> {
    return this.#session.abort();
  }

  setMode(wanted: string): void {
    const known = modeList.find(({ id }) => id === wanted);
    if (known === undefined)
      throw new ToolError("invalid-input", `Unknown mode: ${printable(wanted.slice(0, 40))}`, {
        hint: `Use one of: ${modeList.map(({ id }) => id).join(", ")}`,
      });
    if (known.id !== "plan") this.#session.toolcrib.setMode(known.id);
    this.#session.setPlanning(known.id === "plan");
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  /** Makes a call for the user, in the default dialect and without asking for approval. */
  callForUser(tool: string, input: object): Promise<CallResult> {
    const approve = ({ hash }: ApprovalRequest) => ({ allow: true, hash });
    return callForUser(this.#session.toolcrib, tool, input, { approve });
  }

  /** Asks the user before a command of the user. */
  async confirm({ warning, action }: ConfirmQuestion): Promise<boolean> {
    const { outcome } = await this.#options.client.request(methods.client.session.requestPermission, {
      sessionId: this.id,
      toolCall: { toolCallId: newIdentifier("call"), title: printableLine(warning), status: "pending" },
      options: [
        { optionId: "yes", kind: "allow_once", name: action },
        { optionId: "no", kind: "reject_once", name: "Cancel" },
      ],
    });
    return outcome.outcome === "selected" && outcome.optionId === "yes";
  }

  /** Adds a note to the model's next input. */
  note(text: string): void {
    this.#notes.push(text);
  }

  approve(request: ApprovalRequest, signal: AbortSignal): Promise<Approval> {
    return askInEditor(request, signal, {
      client: this.#options.client,
      sessionId: this.id,
      call: this.#updates.callAskedAbout(request),
      workspace: this.#options.folder,
    });
  }

  async send(update: SessionUpdate): Promise<void> {
    await this.#options.client.notify(methods.client.session.update, { sessionId: this.id, update });
  }

  notice(severity: "info" | "warning", title: string): void {
    if (this.#options.hasNotices)
      void this.send({ sessionUpdate: "notice", severity, title }).catch(() => {});
    else this.#options.log(title);
  }

  #hear(event: AgentEvent): void {
    if (event.type === "limit" && event.agent === undefined) this.#limit = event.limit;
    this.#updates.show(event);
  }

  async #runCommand(command: SlashCommand, argument: string): Promise<PromptResponse> {
    const before = this.mode;
    const text = await this.#outputOf(command, argument);
    if (before !== this.mode)
      await this.send({ sessionUpdate: "current_mode_update", currentModeId: this.mode });
    await this.send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    return { stopReason: "end_turn" };
  }

  async #outputOf(command: SlashCommand, argument: string): Promise<string> {
    try {
      return await command.run(this, argument);
    } catch (error) {
      if (!(error instanceof ToolError || error instanceof ModelError)) throw error;
      const { message, hint } = textForUser(error);
      return printable([message, hint].filter(Boolean).join("\n"));
    }
  }

  #stopReasonOf({ outcome, error }: TurnResult): PromptResponse["stopReason"] {
    if (outcome === "aborted") return "cancelled";
    if (outcome === "limit") return this.#limit === "tokens" ? "max_tokens" : "max_turn_requests";
    if (outcome === "loop") return "max_turn_requests";
    if (error === null) return "end_turn";
    const text = [error.message, error.hint].filter(Boolean).join("\n");
    if (error.code === "auth") throw RequestError.authRequired(undefined, text);
    throw RequestError.internalError({ kind: error.code }, text);
  }

  async #changesOf(callId: string): Promise<string> {
    const { created, changed, removed } = this.#session.toolcrib.findCall(callId)?.files ?? noFiles;
    if (created + changed + removed === 0) return "";
    const { data } = await this.callForUser("journal.diff", { call: callId });
    return (data as ChangedFiles | null)?.files.map(({ diff }) => diff).join("") ?? "";
  }

  #showWarnings(): void {
    const fresh = this.#session.toolcrib.warnings.filter((warning) => !this.#shownWarnings.has(warning));
    for (const warning of fresh) {
      this.#shownWarnings.add(warning);
      this.notice("warning", warning);
    }
  }
}

const noFiles = { created: 0, changed: 0, removed: 0 };

const modeList = [
  { id: "safe", name: "Safe", description: "Reads run without approval." },
  {
    id: "cautious",
    name: "Cautious",
    description: "Reads, and changes that undo can restore, run without approval.",
  },
  { id: "paranoid", name: "Paranoid", description: "Every call needs approval." },
  { id: "yolo", name: "Yolo", description: "Everything that no rule denies runs without approval." },
  { id: "plan", name: "Plan", description: "The model only reads and plans, until you choose another mode." },
] as const satisfies readonly { id: AcpMode; name: string; description: string }[];

type AcpMode = PolicyMode | "plan";

/** Finds a command like `/undo 2` at the beginning of a prompt. Other text with a slash is for the model. */
function commandIn([first]: readonly ContentBlock[]): {
  readonly typed: string;
  readonly command?: SlashCommand | undefined;
  readonly argument: string;
} {
  const typed = first?.type === "text" ? first.text : "";
  const [, name, argument = ""] = /^\/(\w+)(?:\s+(.*))?\s*$/s.exec(typed) ?? [];
  return { typed, command: slashCommands.find((each) => each.name === name), argument: argument.trim() };
}
