import { useEffect, useRef, useState } from "preact/hooks";
import type {
  AgentItem,
  LiveEvent,
  SessionAction,
  SessionAnswer,
  SessionDetail,
  SessionItem,
} from "../api.ts";
import { UsageChart } from "./chart.tsx";
import { formatClient, formatCost, formatCount, printableLine } from "./format.ts";
import { useKeys } from "./keyboard.ts";
import { Markdown } from "./markdown.tsx";
import { SessionState } from "./now.tsx";
import { ActionButton, CallState, Empty, Failure, Icon, Key, Loading, Time, useLoad } from "./parts.tsx";
import { address, apiPath, get, post } from "./request.ts";
import { href, navigate } from "./router.ts";
import { followSession, onCalls, overview, toastError } from "./store.ts";
import { previewUndo } from "./undo.tsx";

interface SessionDetailsProps {
  readonly workspace: string;
  readonly session: string;
  readonly close: () => void;
}

export function SessionDetails({ workspace, session, close }: SessionDetailsProps) {
  const { value, error, reload } = useLoad(`${workspace} ${session}`, (signal) =>
    get<SessionDetail>(apiPath("sessions", workspace, session), {}, signal),
  );
  const live = useLiveText(workspace, session, reload);
  const now = overview.value?.sessions.find((one) => one.workspace === workspace && one.session === session);
  const shown = value === null ? null : { ...value, ...now };
  return (
    <>
      <div class="details-bar">
        <button type="button" class="plain" aria-keyshortcuts="Escape" onClick={close}>
          <Icon name="close" /> Close
        </button>
        <span class="spring" />
        {shown !== null && <SessionActions session={shown} />}
      </div>
      <Conversation key={session} length={(value?.entries.length ?? 0) + live.length}>
        {error !== null && <Failure error={error} retry={reload} />}
        {value === null && error === null && <Loading what="the session" />}
        {shown !== null && <SessionHead session={shown} />}
        {shown !== null && <Entries session={shown} live={live} />}
      </Conversation>
      {shown !== null && (shown.canSteer || shown.title !== null) && <MessageBox session={shown} />}
    </>
  );
}

/** Follows the end while the user is there. */
function Conversation({ length, children }: { length: number; children: preact.ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(false);
  useEffect(() => {
    if (isAtEnd.current) element.current?.scrollTo({ top: element.current.scrollHeight });
  }, [length]);
  return (
    <div
      class="details-scroll"
      role="region"
      aria-label="Conversation"
      tabIndex={0}
      ref={element}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop > 0 && scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {children}
    </div>
  );
}

/** The text that the agent writes at this moment, until it is recorded. */
function useLiveText(workspace: string, session: string, reload: () => void): string {
  const [text, setText] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reloadSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        setText("");
        reload();
      }, 150);
    };
    const receive = (event: LiveEvent) => {
      if (event.type === "text" || event.type === "output")
        setText((old) => (old + event.text).slice(-20_000));
      else if (event.type === "recorded") reloadSoon();
    };
    const endLive = followSession(workspace, session, receive);
    const endCalls = onCalls((calls) => {
      if (calls.some((call) => call.workspace === workspace && call.session === session)) reloadSoon();
    });
    return () => {
      clearTimeout(timer);
      endLive();
      endCalls();
    };
  }, [workspace, session]);
  return text;
}

async function act(
  session: SessionDetail,
  action: Omit<SessionAction, "workspace" | "session">,
): Promise<SessionAnswer | null> {
  try {
    return await post<SessionAnswer, SessionAction>("/api/sessions/act", {
      workspace: session.workspace,
      session: session.session,
      ...action,
    });
  } catch (error) {
    toastError(error);
    return null;
  }
}

/** Opens a new session with the conversation up to a turn. Default: the last. */
async function fork(session: SessionDetail, turn?: number): Promise<void> {
  const answer = await act(session, { action: "fork", ...(turn !== undefined && { turn }) });
  if (answer !== null) navigate(href("sessions", { workspace: answer.workspace, id: answer.session }));
}

function SessionActions({ session }: { session: SessionDetail }) {
  const interrupt = () => act(session, { action: "interrupt" });
  const undo = () =>
    previewUndo("Undo the whole session", { workspace: session.workspace, session: session.session });
  const isWorking = session.canSteer && (session.live === "processing" || session.live === "awaiting");
  useKeys({ i: isWorking ? () => void interrupt() : undefined, u: undo });
  return (
    <>
      {isWorking && (
        <ActionButton run={interrupt}>
          Interrupt <Key>i</Key>
        </ActionButton>
      )}
      {session.canSteer && <ActionButton run={() => act(session, { action: "stop" })}>Stop</ActionButton>}
      {session.title !== null && (
        <>
          <ActionButton run={() => fork(session)}>Fork</ActionButton>
          <a
            class="button"
            href={address(apiPath("sessions", session.workspace, session.session, "export"))}
            download
          >
            Export
          </a>
        </>
      )}
      <button type="button" onClick={undo}>
        <Icon name="undo" /> Undo <Key>u</Key>
      </button>
    </>
  );
}

function SessionHead({ session }: { session: SessionDetail }) {
  const facts = [
    formatClient(session.client),
    session.model && printableLine(session.model),
    session.turns > 0 && formatCount(session.turns, "turn"),
    formatCost(session.cost),
  ];
  return (
    <header class="session-head">
      <h2>{session.title === null ? formatClient(session.client) : printableLine(session.title)}</h2>
      <p class="facts-line muted">
        <SessionState session={session} />
        {facts
          .filter((fact) => typeof fact === "string" && fact !== "")
          .map((fact) => (
            <span key={String(fact)}>{fact}</span>
          ))}
        <a href={href("trace", { query: { workspace: session.workspace, session: session.session } })}>
          {formatCount(session.calls, "call")}
        </a>
        <span>
          since <Time at={session.openedAt} />
        </span>
      </p>
      <div class="session-panels">
        {session.plan.length > 0 && <Plan plan={session.plan} />}
        {session.usage.length > 1 && <UsageChart points={session.usage} />}
        {session.agents.length > 0 && (
          <section class="panel" aria-label="Subagents">
            <h3>Subagents</h3>
            <Agents agents={session.agents} />
          </section>
        )}
      </div>
    </header>
  );
}

function Plan({ plan }: { plan: SessionDetail["plan"] }) {
  const done = plan.filter(({ state }) => state === "done").length;
  return (
    <section class="panel" aria-label="Plan">
      <h3>
        Plan{" "}
        <span class="muted">
          {done} of {plan.length}
        </span>
      </h3>
      <ul class="plan">
        {plan.map(({ text, state }, index) => (
          <li key={index} class={`plan-${state}`}>
            <Icon name={state === "done" ? "ok" : state === "active" ? "next" : "pending"} />
            <span class="hidden">{state}: </span>
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Agents({ agents }: { agents: readonly AgentItem[] }) {
  return (
    <ul class="agents">
      {agents.map((agent) => (
        <li key={agent.id}>
          <span class="tag">{agent.state}</span> {printableLine(agent.task)}
          {agent.agents.length > 0 && <Agents agents={agent.agents} />}
        </li>
      ))}
    </ul>
  );
}

/** Items that are shown before the user asks for more: a long history must not freeze the page. */
const shownItems = 200;

function Entries({ session, live }: { session: SessionDetail; live: string }) {
  const [limit, setLimit] = useState(shownItems);
  const items = foldCalls(session.entries);
  if (items.length === 0 && live === "")
    return (
      <Empty title="No conversation is recorded">
        <p>This client keeps its conversation itself. Its calls are in the trace.</p>
      </Empty>
    );
  return (
    <div class="conversation">
      {items.length > limit && (
        <button type="button" onClick={() => setLimit(limit + 5 * shownItems)}>
          Show earlier messages
        </button>
      )}
      {items
        .slice(-limit)
        .map((item) =>
          "calls" in item ? (
            <Calls key={item.key} calls={item.calls} workspace={session.workspace} />
          ) : (
            <Entry key={item.key} item={item.item} session={session} />
          ),
        )}
      {live !== "" && <pre class="entry is-live">{live}</pre>}
    </div>
  );
}

type CallItem = Extract<SessionItem, { type: "call" }>;

type Folded =
  | { readonly key: number; readonly calls: CallItem[] }
  | { readonly key: number; readonly item: Exclude<SessionItem, CallItem> };

/** Puts calls that follow each other into one fold. */
function foldCalls(entries: readonly SessionItem[]): readonly Folded[] {
  const folded: Folded[] = [];
  for (const [key, item] of entries.entries()) {
    const last = folded.at(-1);
    if (item.type !== "call") folded.push({ key, item });
    else if (last !== undefined && "calls" in last) last.calls.push(item);
    else folded.push({ key, calls: [item] });
  }
  return folded;
}

function Calls({ calls, workspace }: { calls: readonly CallItem[]; workspace: string }) {
  const failed = calls.filter(({ state }) => state !== "ok" && state !== "running").length;
  return (
    <details
      class="entry entry-calls"
      open={calls.length <= 3 || calls.some(({ state }) => state === "running")}
    >
      <summary>
        {formatCount(calls.length, "call")}
        {failed > 0 && <span class="danger"> · {failed} failed</span>}
      </summary>
      <ul>
        {calls.map((call, index) => (
          <li key={index}>
            <a
              class="row call-row"
              href={call.callId === null ? undefined : href("trace", { workspace, id: call.callId })}
            >
              <CallState state={call.state} />
              <span class="tool">{call.tool}</span>
              <span class="title">{printableLine(call.title)}</span>
              {call.agent !== null && <span class="muted">{printableLine(call.agent)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Entry({ item, session }: { item: Exclude<SessionItem, CallItem>; session: SessionDetail }) {
  if (item.type === "reasoning")
    return (
      <details class="entry entry-reasoning">
        <summary>Reasoning</summary>
        <Markdown text={item.text} />
      </details>
    );
  return (
    <div class={`entry entry-${item.type}`}>
      {item.type === "user" && (
        <p class="entry-head">
          You · <Time at={item.at} />
          <span class="spring" />
          {item.turn > 1 && (
            <ActionButton class="plain" run={() => fork(session, item.turn - 1)}>
              Fork before this
            </ActionButton>
          )}
        </p>
      )}
      {item.type === "model" ? <Markdown text={item.text} /> : <p class="text">{item.text}</p>}
    </div>
  );
}

function MessageBox({ session }: { session: SessionDetail }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useKeys({ m: () => field.current?.focus() });
  const label = session.canSteer ? "Message to the agent" : "Message that resumes the session";
  const send = async () => {
    const text = field.current?.value.trim() ?? "";
    if (text === "" || field.current === null) return;
    const answer = await act(session, { action: "message", text });
    if (answer === null) return;
    field.current.value = "";
    if (answer.session !== session.session)
      navigate(href("sessions", { workspace: answer.workspace, id: answer.session }));
  };
  return (
    <form
      class="message-box"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={field}
        rows={2}
        aria-label={label}
        placeholder={`${label}  (m, Ctrl+Enter sends)`}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <ActionButton class="primary" run={send}>
        Send
      </ActionButton>
    </form>
  );
}
