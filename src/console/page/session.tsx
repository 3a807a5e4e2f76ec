import { useEffect, useRef } from "preact/hooks";
import type { AgentItem, SessionDetail } from "../api.ts";
import { UsageChart } from "./chart.tsx";
import { Conversation, Entries, useLiveTexts } from "./conversation.tsx";
import { formatClient, formatCost, formatCount, printableLine } from "./format.ts";
import { useKeys } from "./keyboard.ts";
import { SessionState } from "./now.tsx";
import { ActionButton, CallState, Failure, Icon, Key, Loading, Time, useLoad } from "./parts.tsx";
import { address, apiPath, get } from "./request.ts";
import { href, navigate } from "./router.ts";
import { act, fork } from "./session-actions.ts";
import { overview, targetOf } from "./store.ts";
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
  const live = useLiveTexts(workspace, session, reload);
  const now = overview.value?.sessions.find((one) => one.workspace === workspace && one.session === session);
  const shown = value === null ? null : { ...value, ...now };
  // A turn may be over before its events can be followed.
  useEffect(() => {
    if (value !== null) reload();
  }, [now?.lastAt, now?.state]);
  return (
    <>
      <div class="details-bar">
        <button type="button" class="plain" aria-keyshortcuts="Escape" onClick={close}>
          <Icon name="close" />
          <span class="narrow-hidden">Close</span>
        </button>
        <span class="spring" />
        {shown !== null && <SessionActions session={shown} />}
      </div>
      <Conversation key={session} length={(value?.entries.length ?? 0) + Object.values(live).join("").length}>
        {error !== null && <Failure error={error} retry={reload} />}
        {value === null && error === null && <Loading what="the session" />}
        {shown !== null && <SessionHead session={shown} />}
        {shown !== null && <Entries entries={shown.entries} session={shown} live={live} />}
      </Conversation>
      {shown !== null && (shown.canSteer || shown.title !== null) && <MessageBox session={shown} />}
    </>
  );
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
  const target = targetOf(session.workspace);
  const facts = [
    formatClient(session.client),
    target !== null && `on ${target}`,
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
        {session.parent !== null && (
          <span>
            forked from{" "}
            <a href={href("sessions", { workspace: session.workspace, id: session.parent })}>session</a>
          </span>
        )}
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

/** Subagents with those that they started. Each opens to its whole task. */
function Agents({ agents }: { agents: readonly AgentItem[] }) {
  return (
    <ul class="agents">
      {agents.map((agent) => (
        <li key={agent.id}>
          <details>
            <summary>
              <CallState state={agent.state} withWord /> {printableLine(agent.task.trim().split("\n", 1)[0]!)}
            </summary>
            <p class="text">{agent.task}</p>
          </details>
          {agent.agents.length > 0 && <Agents agents={agent.agents} />}
        </li>
      ))}
    </ul>
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
    // The user may have left the page meanwhile, and stays where they are.
    if (answer === null || field.current === null) return;
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
