import type { VNode } from "preact";
import type { CallSummary, SessionSummary, WorkspaceInfo } from "../api.ts";
import { AnswerTogether } from "./answers.tsx";
import {
  formatClient,
  formatCost,
  formatCount,
  formatDuration,
  isTarget,
  printableLine,
  workspaceName,
} from "./format.ts";
import { HeldBackRow } from "./held-back.tsx";
import { useKeys } from "./keyboard.ts";
import { Age, CallState, clock, Empty, Icon, Loading } from "./parts.tsx";
import { QuestionCard } from "./questions.tsx";
import { href, navigate, route } from "./router.ts";
import { keyOfQuestion, overview, questions } from "./store.ts";

export function NowPage() {
  const shown = overview.value;
  const waiting = questions.value;
  const { workspace, id } = route.value;
  const named = waiting.findIndex((question) => question.id === id && question.workspace === workspace);
  const selected = Math.max(0, named);
  const select = (step: number) => {
    const next = waiting[Math.min(waiting.length - 1, Math.max(0, selected + step))];
    if (next) navigate(href("now", { workspace: next.workspace, id: next.id }), { replace: true });
  };
  useKeys({ j: () => select(1), k: () => select(-1) });
  if (shown === null) return <Loading what="what happens now" />;
  const isQuiet = waiting.length + shown.running.length + shown.sessions.length === 0;
  return (
    <div class="page now">
      {waiting.length > 0 && (
        <section aria-label="Questions">
          <h2>Questions</h2>
          <AnswerTogether />
          {waiting.map((question, index) => (
            <QuestionCard key={keyOfQuestion(question)} question={question} isSelected={index === selected} />
          ))}
        </section>
      )}
      {isQuiet && (
        <Empty title="No agent is running">
          <p>
            Calls of every client on this machine appear here as they happen. Try it in a terminal:{" "}
            <code>toolcrib tour</code>
          </p>
        </Empty>
      )}
      <Section title="Held back" label="Held back">
        {shown.heldBack.map((entry) => (
          <HeldBackRow key={entry.workspace + entry.id} entry={entry} />
        ))}
      </Section>
      <Section title="Running" label="Running calls">
        {shown.running.map((call) => (
          <RunningCall key={call.workspace + call.callId} call={call} />
        ))}
      </Section>
      <Section title="Sessions" label="Open sessions">
        {shown.sessions.map((session) => (
          <SessionRow key={session.workspace + session.session} session={session} />
        ))}
      </Section>
      <Section title="Workspaces" label="Workspaces">
        {shown.workspaces.map((workspace) => (
          <WorkspaceRow key={workspace.id} workspace={workspace} />
        ))}
      </Section>
    </div>
  );
}

/** A titled list; nothing when it is empty. */
function Section({ title, label, children }: { title: string; label: string; children: readonly VNode[] }) {
  if (children.length === 0) return null;
  return (
    <section aria-label={label}>
      <h2>{title}</h2>
      <ul class="rows">{children}</ul>
    </section>
  );
}

function RunningCall({ call }: { call: CallSummary }) {
  return (
    <li>
      <a class="row call-row" href={href("trace", { workspace: call.workspace, id: call.callId })}>
        <CallState state={call.state} />
        <span class="tool">{call.tool}</span>
        <span class="title">{printableLine(call.title)}</span>
        <span class="client muted">{formatClient(call.client)}</span>
        <span class="duration">
          {formatDuration(Math.floor((clock.value - call.startedAt) / 1_000) * 1_000)}
        </span>
      </a>
    </li>
  );
}

interface SessionRowProps {
  readonly session: SessionSummary;
  readonly isSelected?: boolean;
  /** How many listed sessions it was forked from, one from the other. */
  readonly depth?: number;
}

export function SessionRow({ session, isSelected = false, depth = 0 }: SessionRowProps) {
  const workspace = overview.value?.workspaces.find(({ id }) => id === session.workspace);
  const facts = [
    workspace && workspaceName(workspace),
    session.model && printableLine(session.model),
    formatCount(session.calls, "call"),
    formatCost(session.cost),
  ];
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: WAI-ARIA 1.2 allows it on list items.
    <li aria-level={depth + 1} style={{ "--depth": depth }}>
      <a
        class="row session-row"
        aria-current={isSelected}
        href={href("sessions", { workspace: session.workspace, id: session.session })}
      >
        <SessionState session={session} />
        <span class="title">
          {session.title === null ? formatClient(session.client) : printableLine(session.title)}
        </span>
        <span class="muted">
          <Age at={session.lastAt} /> ago
        </span>
        <span class="facts-line muted">
          {session.parent !== null && <span class="tag">fork</span>}
          {session.title !== null && <span>{formatClient(session.client)}</span>}
          {facts.filter(Boolean).map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </span>
      </a>
    </li>
  );
}

/** The activity of a session, as a word with a dot. */
export function SessionState({ session }: { session: SessionSummary }) {
  const word = session.state === "open" ? (session.live ?? "open") : session.state;
  const text = word === "processing" ? "working" : word === "awaiting" ? "waiting for you" : word;
  return (
    <span class={`session-state is-${word}`}>
      <span class="dot" />
      {text}
    </span>
  );
}

function WorkspaceRow({ workspace }: { workspace: WorkspaceInfo }) {
  return (
    <li>
      <a class="row workspace-row" href={href("trace", { query: { workspace: workspace.id } })}>
        <Icon name="folder" />
        <span class="title">{workspaceName(workspace)}</span>
        {isTarget(workspace) ? (
          <span class="tag">target</span>
        ) : (
          <span class="path muted">{printableLine(workspace.path ?? "")}</span>
        )}
        {!workspace.exists && <span class="tag">deleted</span>}
        <span class="muted">{formatCount(workspace.calls, "call")}</span>
        <span class="muted">
          <Age at={workspace.lastAt} /> ago
        </span>
      </a>
    </li>
  );
}
