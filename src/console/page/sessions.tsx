import { useEffect, useState } from "preact/hooks";
import type { SessionPage, SessionSummary } from "../api.ts";
import { holdKeys, useKeys } from "./keyboard.ts";
import { SessionRow } from "./now.tsx";
import { ActionButton, Empty, Failure, Key, Loading, useLoad } from "./parts.tsx";
import { get } from "./request.ts";
import { href, navigate, route } from "./router.ts";
import { SessionDetails } from "./session.tsx";
import { StartDialog } from "./start-session.tsx";
import { overview, toastError } from "./store.ts";
import { WorkspaceSelect } from "./workspace-select.tsx";

export function SessionsPage() {
  const { workspace, id, query } = route.value;
  const [isStarting, setStarting] = useState(false);
  const hasDetails = workspace !== null && id !== null;
  const close = () => navigate(href("sessions", { query }));
  const start = () => {
    holdKeys();
    setStarting(true);
  };
  useKeys({ c: start, Escape: hasDetails ? close : undefined });
  return (
    <div class={hasDetails ? "columns with-details sessions" : "columns sessions"}>
      <section class="list-column" aria-label="Sessions">
        <SessionList start={() => setStarting(true)} />
      </section>
      {hasDetails && (
        <section class="details-column" aria-label="Selected session" id="details" tabIndex={-1}>
          <SessionDetails key={`${workspace} ${id}`} workspace={workspace} session={id} close={close} />
        </section>
      )}
      {isStarting && <StartDialog close={() => setStarting(false)} />}
    </div>
  );
}

/** The recorded sessions that the address names, with the present state of the open ones. */
function useSessions() {
  const { query } = route.value;
  const filters = { workspace: query.get("workspace") ?? "", all: query.get("all") ?? "" };
  const { value, error, reload, replace } = useLoad(JSON.stringify(filters), (signal) =>
    get<SessionPage>("/api/sessions", filters, signal),
  );
  // Sessions that opened or closed since.
  const open = JSON.stringify(overview.value?.sessions.map(({ session, state }) => [session, state]));
  useEffect(reload, [open]);
  const live = new Map(overview.value?.sessions.map((session) => [keyOf(session), session]));
  const loadMore = async () => {
    if (value === null) return;
    const page = await get<SessionPage>("/api/sessions", { ...filters, before: value.next });
    replace({ sessions: [...value.sessions, ...page.sessions], next: page.next });
  };
  return {
    filters,
    sessions: value?.sessions.map((session) => live.get(keyOf(session)) ?? session) ?? null,
    error,
    reload,
    loadMore: value?.next == null ? null : loadMore,
  };
}

function keyOf({ workspace, session }: Pick<SessionSummary, "workspace" | "session">): string {
  return `${workspace} ${session}`;
}

function SessionList({ start }: { start: () => void }) {
  const { workspace, id, query } = route.value;
  const { filters, sessions, error, reload, loadMore } = useSessions();
  const rows = withForks(sessions ?? []);
  const selected = rows.findIndex(({ session }) => session.session === id && session.workspace === workspace);
  const select = (index: number) => {
    const session = rows[Math.min(rows.length - 1, Math.max(0, index))]?.session;
    if (session === undefined) return;
    const to = href("sessions", { workspace: session.workspace, id: session.session, query });
    navigate(to, { replace: true });
  };
  useKeys({
    j: () => select(selected + 1),
    k: () => select(selected - 1),
    Enter: selected < 0 ? undefined : () => document.getElementById("details")?.focus(),
  });
  return (
    <>
      <SessionFilters filters={filters} start={start} />
      <div class="scroller" role="region" aria-label="List of sessions" tabIndex={0}>
        {error !== null && <Failure error={error} retry={reload} />}
        {sessions === null && error === null && <Loading what="sessions" />}
        {sessions?.length === 0 && (
          <Empty title="No sessions yet">
            <p>Agents and clients appear here when they make their first call.</p>
          </Empty>
        )}
        <ul class="rows">
          {rows.map(({ session, depth }, index) => (
            <SessionRow
              key={keyOf(session)}
              session={session}
              isSelected={index === selected}
              depth={depth}
            />
          ))}
        </ul>
        {loadMore !== null && (
          <ActionButton run={() => loadMore().catch(toastError)}>Show older sessions</ActionButton>
        )}
      </div>
    </>
  );
}

/** Puts forks below the listed session that they came from. The latest session of a tree decides where the tree stands. */
function withForks(
  sessions: readonly SessionSummary[],
): readonly { session: SessionSummary; depth: number }[] {
  const listed = new Map(sessions.map((session) => [keyOf(session), session]));
  const originOf = ({ workspace, parent, openedAt }: SessionSummary) => {
    const origin = parent === null ? undefined : listed.get(keyOf({ workspace, session: parent }));
    // A damaged journal must not make a circle.
    return origin !== undefined && origin.openedAt < openedAt ? origin : undefined;
  };
  const forks = Map.groupBy(sessions, originOf);
  const rootOf = (session: SessionSummary): SessionSummary => {
    const origin = originOf(session);
    return origin === undefined ? session : rootOf(origin);
  };
  const treeOf = (session: SessionSummary, depth: number): { session: SessionSummary; depth: number }[] => [
    { session, depth },
    ...(forks.get(session) ?? []).flatMap((fork) => treeOf(fork, depth + 1)),
  ];
  return [...new Set(sessions.map(rootOf))].flatMap((root) => treeOf(root, 0));
}

interface SessionFiltersProps {
  readonly filters: { readonly workspace: string; readonly all: string };
  readonly start: () => void;
}

function SessionFilters({ filters, start }: SessionFiltersProps) {
  const set = (change: Partial<SessionFiltersProps["filters"]>) =>
    navigate(href("sessions", { query: { ...filters, ...change } }));
  return (
    <div class="filters">
      <WorkspaceSelect
        value={filters.workspace}
        all="All workspaces"
        set={(workspace) => set({ workspace })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={filters.all === "1"}
          onChange={(event) => set({ all: event.currentTarget.checked ? "1" : "" })}
        />
        Single calls
      </label>
      <span class="spring" />
      <button type="button" onClick={start}>
        Start a session <Key>c</Key>
      </button>
    </div>
  );
}
