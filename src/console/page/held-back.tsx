import type { HeldBackEntry } from "../api.ts";
import { printableLine, workspaceName } from "./format.ts";
import { Age, Icon } from "./parts.tsx";
import { overview } from "./store.ts";

/** An entry that was held back, and the command that shows it. */
export function HeldBackRow({ entry, isInCall = false }: { entry: HeldBackEntry; isInCall?: boolean }) {
  const workspace = overview.value?.workspaces.find(({ id }) => id === entry.workspace);
  return (
    <li class="row held-row">
      <Icon name="warning" />
      <span class="title" title={`The rule that allows it: ${printableLine(entry.rule)}`}>
        {printableLine(entry.path)}
      </span>
      {!isInCall && workspace !== undefined && <span class="muted">{workspaceName(workspace)}</span>}
      {entry.isAllowed ? (
        <span class="tag">allowed</span>
      ) : (
        <code class="command">toolcrib quarantine show {entry.id}</code>
      )}
      <span class="muted">
        <Age at={entry.heldAt} /> ago
      </span>
    </li>
  );
}
