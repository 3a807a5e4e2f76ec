import { workspaceName } from "./format.ts";
import { route } from "./router.ts";
import { overview } from "./store.ts";

/** The workspace of the address, else the one with the latest activity. */
export function useWorkspace(): string | null {
  return route.value.workspace ?? overview.value?.workspaces[0]?.id ?? null;
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
