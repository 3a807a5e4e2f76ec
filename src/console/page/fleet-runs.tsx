import { useEffect, useRef, useState } from "preact/hooks";
import type { RunPage, RunQuery, RunSummary } from "../api.ts";
import { formatCost, formatCount, formatDuration, printableLine } from "./format.ts";
import { useKeys } from "./keyboard.ts";
import { Empty, Failure, Icon, type IconName, Loading } from "./parts.tsx";
import { apiPath, get } from "./request.ts";
import { href, navigate, route } from "./router.ts";
import { useVirtualRows } from "./virtual-rows.ts";

const rowHeight = 32;
const pageSize = 200;
const shown = ["waiting", "running", "parked", "solved", "unsolved", "infrastructure", "budget", "cancelled"];

/** The runs of a fleet that match the filter of the address. Only the visible pages are loaded, and loaded again. */
export function FleetRuns({ fleet, version }: { fleet: string; version: string }) {
  const { id, query } = route.value;
  const scroller = useRef<HTMLDivElement>(null);
  const filter: RunQuery = { show: query.get("show") ?? "", text: query.get("text") ?? "" };
  const [runs, setRuns] = useState<Pages>({ filter: "", total: null, pages: new Map(), error: null });
  const key = JSON.stringify(filter);
  const rows = useVirtualRows(scroller, runs.total ?? 0, rowHeight);
  const items = rows.getVirtualItems();
  const first = Math.floor((items[0]?.index ?? 0) / pageSize);
  const last = Math.floor((items.at(-1)?.index ?? 0) / pageSize);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    for (let page = first; page <= last; page += 1)
      void loadPage(fleet, filter, page, controller.signal).then((load) => load && setRuns(load));
    return () => controller.abort();
  }, [key, version, first, last, round]);
  const runAt = (index: number) => runs.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  const selected = indexOf(runs, id);
  const select = (index: number) => {
    const at = Math.min((runs.total ?? 0) - 1, Math.max(0, index));
    const run = runAt(at);
    if (run === undefined) return;
    navigate(href("fleets", { workspace: fleet, id: run.id, query }), { replace: true });
    rows.scrollToIndex(at, { align: "auto" });
  };
  useKeys({
    j: () => select(selected + 1),
    k: () => select(selected - 1),
    Enter: selected < 0 ? undefined : () => document.getElementById("details")?.focus(),
  });
  return (
    <>
      <RunFilters fleet={fleet} filter={filter} total={runs.total} />
      <div class="scroller" ref={scroller} role="region" aria-label="List of runs" tabIndex={0}>
        {runs.error !== null && <Failure error={runs.error} retry={() => setRound(round + 1)} />}
        {runs.total === null && runs.error === null && <Loading what="runs" />}
        {runs.total === 0 && (
          <Empty title="No run matches">
            <p>Press x to clear the filters.</p>
          </Empty>
        )}
        <ul class="virtual" style={{ height: `${rows.getTotalSize()}px` }}>
          {items.map(({ index, start }) => {
            const run = runAt(index);
            return (
              run && (
                <li
                  key={run.id}
                  aria-setsize={runs.total ?? 0}
                  aria-posinset={index + 1}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <RunRow
                    run={run}
                    fleet={fleet}
                    isSelected={run.id === id}
                    isFocusable={index === Math.max(0, selected)}
                  />
                </li>
              )
            );
          })}
        </ul>
      </div>
    </>
  );
}

interface Pages {
  /** The filter that the pages belong to. */
  readonly filter: string;
  readonly total: number | null;
  readonly pages: ReadonlyMap<number, readonly RunSummary[]>;
  readonly error: unknown;
}

/** Returns how the loaded pages change; undefined when the request was given up. */
async function loadPage(
  fleet: string,
  filter: RunQuery,
  page: number,
  signal: AbortSignal,
): Promise<((old: Pages) => Pages) | undefined> {
  const key = JSON.stringify(filter);
  try {
    const query: RunQuery = { ...filter, offset: String(page * pageSize), limit: String(pageSize) };
    const { runs, total } = await get<RunPage>(apiPath("fleets", fleet, "runs"), query, signal);
    return (old) => {
      const kept = old.filter === key ? old.pages : [];
      return { filter: key, total, pages: new Map([...kept, [page, runs]]), error: null };
    };
  } catch (error) {
    return signal.aborted ? undefined : (old) => ({ ...old, error });
  }
}

function indexOf({ pages }: Pages, id: string | null): number {
  for (const [page, runs] of pages) {
    const at = runs.findIndex((run) => run.id === id);
    if (at >= 0) return page * pageSize + at;
  }
  return -1;
}

function RunFilters({ fleet, filter, total }: { fleet: string; filter: RunQuery; total: number | null }) {
  const search = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const set = (change: RunQuery) =>
    navigate(href("fleets", { workspace: fleet, id: route.value.id, query: { ...filter, ...change } }), {
      replace: true,
    });
  const clear = () => {
    if (search.current !== null) search.current.value = "";
    set({ show: "", text: "" });
  };
  useKeys({ "/": () => search.current?.focus(), x: clear });
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filter the runs"
      onSubmit={(event) => event.preventDefault()}
    >
      <input
        ref={search}
        type="search"
        class="grow"
        aria-label="Search in tasks and reasons"
        placeholder="Search  /"
        defaultValue={filter.text}
        onInput={(event) => {
          const text = event.currentTarget.value.trim();
          clearTimeout(timer.current);
          timer.current = setTimeout(() => set({ text }), 120);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <select
        aria-label="State or outcome"
        value={filter.show}
        onChange={(event) => set({ show: event.currentTarget.value })}
      >
        <option value="">All runs</option>
        {shown.map((name) => (
          <option key={name} value={name}>
            {name[0]!.toUpperCase() + name.slice(1)}
          </option>
        ))}
      </select>
      <span class="total muted" role="status">
        {total !== null && formatCount(total, "run")}
      </span>
      {(filter.show || filter.text) && (
        <button type="button" class="plain" aria-keyshortcuts="x" onClick={clear}>
          Clear
        </button>
      )}
    </form>
  );
}

interface RunRowProps {
  readonly run: RunSummary;
  readonly fleet: string;
  readonly isSelected: boolean;
  /** One row at a time, so that Tab leaves a list of any length. */
  readonly isFocusable: boolean;
}

function RunRow({ run, fleet, isSelected, isFocusable }: RunRowProps) {
  const { query } = route.value;
  return (
    <a
      class="row call-row run-row"
      aria-current={isSelected}
      tabIndex={isFocusable ? 0 : -1}
      href={href("fleets", { workspace: fleet, id: run.id, query })}
    >
      <RunState run={run} />
      <span class="title">
        {printableLine(run.task)}
        {run.isSuperseded && <span class="muted"> (superseded)</span>}
        {run.reason !== null && <span class="muted"> {printableLine(run.reason)}</span>}
      </span>
      <span class="client muted">{printableLine(run.model)}</span>
      <span class="cost">{formatCost(run.cost)}</span>
      <span class="duration">{formatDuration(run.workMs)}</span>
    </a>
  );
}

const icons: Readonly<Record<string, IconName>> = {
  solved: "ok",
  unsolved: "failed",
  infrastructure: "warning",
  budget: "denied",
  cancelled: "interrupted",
  running: "running",
  parked: "interrupted",
  waiting: "pending",
};

/** The outcome of a run, or its state until then. */
export function RunState({ run, withWord = false }: { run: RunSummary; withWord?: boolean }) {
  const state = run.outcome ?? (run.isCancelled ? "cancelled" : run.state);
  return (
    <span class={`state run-${state}`} title={state}>
      <Icon name={icons[state] ?? "pending"} />
      <span class={withWord ? "" : "hidden"}>{state}</span>
    </span>
  );
}
