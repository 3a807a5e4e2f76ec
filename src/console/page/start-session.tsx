import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionAnswer, StartRequest } from "../api.ts";
import { ActionButton, Dialog } from "./parts.tsx";
import { post } from "./request.ts";
import { href, navigate, route } from "./router.ts";
import { overview, toastError } from "./store.ts";
import { WorkspaceSelect } from "./workspace-select.tsx";

const modes = ["safe", "cautious", "paranoid", "yolo"];

export function StartDialog({ close }: { close: () => void }) {
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
    const request: StartRequest = { workspace, task: text, mode, model: name || undefined };
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
