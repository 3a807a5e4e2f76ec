import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionAnswer, SessionPage, StartRequest } from "../api.ts";
import { workspaceName } from "./format.ts";
import { holdKeys, useKeys } from "./keyboard.ts";
import { SessionRow } from "./now.tsx";
import { ActionButton, Dialog, Empty, Failure, Key, Loading, useLoad } from "./parts.tsx";
import { get, post } from "./request.ts";
import { href, navigate, route } from "./router.ts";
import { SessionDetails } from "./session.tsx";
import { overview, toastError } from "./store.ts";

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
        <h1 class="hidden">Sessions</h1>
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

function SessionList({ start }: { start: () => void }) {
  const { workspace, id, query } = route.value;
  const only = query.get("workspace") ?? "";
  const all = query.get("all") ?? "";
  const { value, error, reload, replace } = useLoad(`sessions ${only} ${all}`, (signal) =>
    get<SessionPage>("/api/sessions", { workspace: only, all }, signal),
  );
  const filter = (change: { workspace?: string; all?: string }) =>
    navigate(href("sessions", { query: { workspace: only, all, ...change } }));
  // Sessions that opened or closed since.
  const open = JSON.stringify(overview.value?.sessions.map(({ session, state }) => [session, state]));
  useEffect(reload, [open]);
  const live = new Map(
    overview.value?.sessions.map((session) => [session.workspace + session.session, session]),
  );
  const sessions =
    value?.sessions.map((session) => live.get(session.workspace + session.session) ?? session) ?? [];
  const selected = sessions.findIndex((session) => session.session === id && session.workspace === workspace);
  const select = (index: number) => {
    const session = sessions[Math.min(sessions.length - 1, Math.max(0, index))];
    if (session)
      navigate(href("sessions", { workspace: session.workspace, id: session.session, query }), {
        replace: true,
      });
  };
  useKeys({
    j: () => select(selected + 1),
    k: () => select(selected - 1),
    Enter: selected < 0 ? undefined : () => document.getElementById("details")?.focus(),
  });
  const loadMore = async () => {
    if (value === null) return;
    const page = await get<SessionPage>("/api/sessions", { workspace: only, all, before: value.next });
    replace({ sessions: [...value.sessions, ...page.sessions], next: page.next });
  };
  return (
    <>
      <div class="filters">
        <WorkspaceSelect value={only} all="All workspaces" set={(next) => filter({ workspace: next })} />
        <label class="check">
          <input
            type="checkbox"
            checked={all === "1"}
            onChange={(event) => filter({ all: event.currentTarget.checked ? "1" : "" })}
          />
          Single calls
        </label>
        <span class="spring" />
        <button type="button" onClick={start}>
          Start a session <Key>c</Key>
        </button>
      </div>
      <div class="scroller" role="region" aria-label="List of sessions" tabIndex={0}>
        {error !== null && <Failure error={error} retry={reload} />}
        {value === null && error === null && <Loading what="sessions" />}
        {value !== null && sessions.length === 0 && (
          <Empty title="No sessions yet">
            <p>Agents and clients appear here when they make their first call.</p>
          </Empty>
        )}
        <ul class="rows">
          {sessions.map((session, index) => (
            <SessionRow
              key={session.workspace + session.session}
              session={session}
              isSelected={index === selected}
            />
          ))}
        </ul>
        {value?.next != null && (
          <ActionButton run={() => loadMore().catch(toastError)}>Show older sessions</ActionButton>
        )}
      </div>
    </>
  );
}

interface WorkspaceSelectProps {
  readonly value: string;
  /** The text of the choice without a workspace. */
  readonly all?: string;
  readonly set: (workspace: string) => void;
}

export function WorkspaceSelect({ value, all, set }: WorkspaceSelectProps) {
  return (
    <select aria-label="Workspace" value={value} onChange={(event) => set(event.currentTarget.value)}>
      {all !== undefined && <option value="">{all}</option>}
      {overview.value?.workspaces.map((workspace) => (
        <option key={workspace.id} value={workspace.id} disabled={all === undefined && !workspace.exists}>
          {workspaceName(workspace)}
        </option>
      ))}
    </select>
  );
}

const modes = ["safe", "cautious", "paranoid", "yolo"];

function StartDialog({ close }: { close: () => void }) {
  const first = overview.value?.workspaces.find(({ exists }) => exists)?.id ?? "";
  const [workspace, setWorkspace] = useState(route.value.query.get("workspace") ?? first);
  const task = useRef<HTMLTextAreaElement>(null);
  const model = useRef<HTMLInputElement>(null);
  const [mode, setMode] = useState("cautious");
  useEffect(() => task.current?.focus(), []);
  const start = async () => {
    const text = task.current?.value.trim() ?? "";
    if (text === "") {
      task.current?.focus();
      return;
    }
    const name = model.current?.value.trim();
    const request: StartRequest = { workspace, task: text, mode, ...(name && { model: name }) };
    try {
      const answer = await post<SessionAnswer, StartRequest>("/api/sessions/start", request);
      close();
      navigate(href("sessions", { workspace: answer.workspace, id: answer.session }));
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Dialog title="Start a session" onClose={close}>
      <div class="dialog-body form">
        <label>
          Task
          <textarea ref={task} rows={5} placeholder="Describe what the agent should do" />
        </label>
        <div>
          Workspace
          <WorkspaceSelect value={workspace} set={setWorkspace} />
        </div>
        <label>
          Model
          <input ref={model} placeholder="The default model" />
        </label>
        <label>
          Mode
          <select value={mode} onChange={(event) => setMode(event.currentTarget.value)}>
            {modes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      <footer class="dialog-foot">
        <span class="spring" />
        <button type="button" onClick={close}>
          Cancel
        </button>
        <ActionButton class="primary" disabled={workspace === ""} run={start}>
          Start
        </ActionButton>
      </footer>
    </Dialog>
  );
}
