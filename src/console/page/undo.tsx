import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { UndoRequest, UndoResult } from "../api.ts";
import { Diffs } from "./diff.tsx";
import { formatCount, printableLine } from "./format.ts";
import { holdKeys } from "./keyboard.ts";
import { ActionButton, Dialog, Failure, Loading, useLoad } from "./parts.tsx";
import { post } from "./request.ts";
import { targetOf, toast, toastError } from "./store.ts";

type Plan = Omit<UndoRequest, "dryRun">;

/** The undo that the user looks at before it happens. */
const planned = signal<{ readonly title: string; readonly plan: Plan; readonly done?: () => void } | null>(
  null,
);

/** Shows what an undo or redo would change, and does it when the user confirms. */
export function previewUndo(title: string, plan: Plan, done?: () => void): void {
  holdKeys();
  planned.value = { title, plan, done };
}

export function UndoDialog() {
  const shown = planned.value;
  if (shown === null) return null;
  const close = () => {
    planned.value = null;
  };
  return (
    <Dialog title={shown.title} onClose={close} isWide>
      <Preview {...shown} close={close} />
    </Dialog>
  );
}

function Preview({
  title,
  plan,
  done,
  close,
}: {
  title: string;
  plan: Plan;
  done?: () => void;
  close: () => void;
}) {
  const [merge, setMerge] = useState(false);
  const [skipChanged, setSkipChanged] = useState(false);
  const request = { ...plan, merge: merge || undefined, skipChanged: skipChanged || undefined };
  const { value, error, reload } = useLoad(JSON.stringify(request), () =>
    post<UndoResult, UndoRequest>("/api/undo", { ...request, dryRun: true }),
  );
  const run = async () => {
    try {
      const result = await post<UndoResult, UndoRequest>("/api/undo", { ...request, dryRun: false });
      close();
      done?.();
      const text = `${plan.redo ? "Redid" : "Undid"} ${formatCount(result.files.length, "file")}.`;
      const redo = () => previewUndo("Redo the latest undo", { workspace: plan.workspace, redo: true }, done);
      toast(text, plan.redo ? {} : { action: { label: "Redo", run: redo } });
    } catch (failure) {
      toastError(failure);
      reload();
    }
  };
  const isEmpty = value !== null && value.files.length === 0;
  const target = targetOf(plan.workspace);
  return (
    <>
      <div class="dialog-body">
        {target !== null && (
          <p>
            On <strong>{target}</strong>
          </p>
        )}
        {error !== null && <Failure error={error} />}
        {error === null && value === null && <Loading what="the preview" />}
        {error === null && value !== null && <UndoPreview result={value} />}
      </div>
      <footer class="dialog-foot">
        {!plan.redo && (
          <>
            <Choice label="Keep later edits, where they do not overlap" value={merge} set={setMerge} />
            <Choice label="Leave out files that changed since" value={skipChanged} set={setSkipChanged} />
          </>
        )}
        <span class="spring" />
        <button type="button" onClick={close}>
          Cancel
        </button>
        <ActionButton class="primary" disabled={error !== null || value === null || isEmpty} run={run}>
          {title.split(" ")[0]}
        </ActionButton>
      </footer>
    </>
  );
}

function UndoPreview({ result }: { result: UndoResult }) {
  return (
    <>
      {result.commits.length > 0 && (
        <div class="notice">
          <p>Commits since then contain some of these changes. The undo does not change the commits.</p>
          <ul>
            {result.commits.map(({ hash, subject }) => (
              <li key={hash}>
                <code>{hash.slice(0, 10)}</code> {printableLine(subject)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {result.notes.map((note) => (
        <p key={note} class="notice">
          {note}
        </p>
      ))}
      {result.leftAlone.length > 0 && (
        <p class="notice">Not touched: {result.leftAlone.map(printableLine).join(", ")}</p>
      )}
      {result.files.length === 0 ? (
        <p class="muted">Nothing would change.</p>
      ) : (
        <Diffs files={result.files} />
      )}
    </>
  );
}

function Choice({ label, value, set }: { label: string; value: boolean; set: (value: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
