import type { Ref } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallQuery } from "../api.ts";
import { formatCount, workspaceName } from "./format.ts";
import { useKeys } from "./keyboard.ts";
import { Badge } from "./parts.tsx";
import { href, navigate, route } from "./router.ts";
import { overview } from "./store.ts";

const names = [
  "text",
  "workspace",
  "tool",
  "client",
  "session",
  "target",
  "path",
  "verdict",
  "failed",
  "changing",
] as const;

/** The filters of an address; unknown words are ignored. */
export function queryOf(words: URLSearchParams): CallQuery {
  return Object.fromEntries(names.flatMap((name) => (words.get(name) ? [[name, words.get(name)]] : [])));
}

/** Changes one filter in the address, and keeps what is selected. */
function setFilter(name: (typeof names)[number], value: string): void {
  const { workspace, id, query } = route.value;
  navigate(href("trace", { workspace, id, query: { ...Object.fromEntries(query), [name]: value } }), {
    replace: true,
  });
}

export function Filters({ filters, total }: { filters: CallQuery; total: number | null }) {
  const search = useRef<HTMLInputElement>(null);
  const clear = () => navigate(href("trace"), { replace: true });
  const used = Object.keys(filters).length;
  const [hasMore, setMore] = useState(false);
  useKeys({ "/": () => search.current?.focus(), x: clear });
  return (
    <form
      class={hasMore ? "filters" : "filters few"}
      role="search"
      aria-label="Filter the calls"
      onSubmit={(event) => event.preventDefault()}
    >
      <Word
        name="text"
        label="Search in tools, titles, messages and inputs"
        filters={filters}
        field={search}
      />
      <button type="button" class="more-filters" aria-expanded={hasMore} onClick={() => setMore(!hasMore)}>
        Filters
        <Badge count={Object.keys(filters).filter((name) => name !== "text").length} label="in use" />
      </button>
      <WorkspaceFilter filters={filters} />
      <select
        aria-label="Verdict"
        value={filters.verdict ?? ""}
        onChange={(event) => setFilter("verdict", event.currentTarget.value)}
      >
        <option value="">Any verdict</option>
        <option value="allow">Allowed</option>
        <option value="ask">Asked</option>
        <option value="deny">Denied</option>
      </select>
      <Word name="tool" label="Tool" filters={filters} />
      <Word name="client" label="Client" filters={filters} />
      <Word name="path" label="Path" filters={filters} />
      <Word name="target" label="Target" filters={filters} />
      <Check name="failed" label="Failed" filters={filters} />
      <Check name="changing" label="Changes files" filters={filters} />
      {filters.session !== undefined && (
        <button type="button" onClick={() => setFilter("session", "")}>
          Session {filters.session.slice(0, 8)} ×
        </button>
      )}
      <span class="total muted" role="status">
        {total !== null && formatCount(total, "call")}
      </span>
      {used > 0 && (
        <button type="button" class="plain" aria-keyshortcuts="x" onClick={clear}>
          Clear
        </button>
      )}
    </form>
  );
}

function WorkspaceFilter({ filters }: { filters: CallQuery }) {
  return (
    <select
      aria-label="Workspace"
      value={filters.workspace ?? ""}
      onChange={(event) => setFilter("workspace", event.currentTarget.value)}
    >
      <option value="">All workspaces</option>
      {overview.value?.workspaces.map((workspace) => (
        <option key={workspace.id} value={workspace.id}>
          {workspaceName(workspace)}
        </option>
      ))}
    </select>
  );
}

interface FilterProps<Name> {
  readonly name: Name;
  readonly label: string;
  readonly filters: CallQuery;
}

/** A text field. The address follows it when the user stops typing; it follows the address when it has no focus. */
function Word({
  name,
  label,
  filters,
  field,
}: FilterProps<"text" | "tool" | "client" | "path" | "target"> & { field?: Ref<HTMLInputElement> }) {
  const own = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const value = filters[name] ?? "";
  useEffect(() => {
    if (own.current !== null && own.current !== document.activeElement) own.current.value = value;
  }, [value]);
  return (
    <input
      ref={(element) => {
        own.current = element;
        if (typeof field === "object" && field !== null) field.current = element;
      }}
      type="search"
      class={name === "text" ? "grow" : "word"}
      aria-label={label}
      placeholder={name === "text" ? "Search  /" : label}
      onInput={(event) => {
        const typed = event.currentTarget.value.trim();
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setFilter(name, typed), 120);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}

function Check({ name, label, filters }: FilterProps<"failed" | "changing">) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={filters[name] === "1"}
        onChange={(event) => setFilter(name, event.currentTarget.checked ? "1" : "")}
      />
      {label}
    </label>
  );
}
