import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CallQuery, CallSummary } from "../api.ts";
import { CallDetails } from "./call.tsx";
import { CallList, keyOf } from "./call-list.ts";
import { Filters, queryOf } from "./filters.tsx";
import { formatClient, formatDuration, formatTime, printableLine } from "./format.ts";
import { useKeys } from "./keyboard.ts";
import { CallState, Empty, Failure, Icon, Loading } from "./parts.tsx";
import { href, navigate, route } from "./router.ts";
import { streams } from "./store.ts";
import { onCalls } from "./stream.ts";
import { useVirtualRows } from "./virtual-rows.ts";

const rowHeight = 32;

export function TracePage() {
  const { workspace, id, query } = route.value;
  const filters = queryOf(query);
  const hasDetails = workspace !== null && id !== null;
  const close = () => navigate(href("trace", { query }));
  useKeys(hasDetails ? { Escape: close } : {});
  return (
    <div class={hasDetails ? "columns with-details" : "columns"}>
      <section class="list-column" aria-label="Calls">
        <Calls filters={filters} />
      </section>
      {hasDetails && (
        <section class="details-column" aria-label="Selected call" id="details" tabIndex={-1}>
          <CallDetails key={`${workspace} ${id}`} workspace={workspace} callId={id} close={close} />
        </section>
      )}
    </div>
  );
}

function Calls({ filters }: { filters: CallQuery }) {
  const list = useShownList(filters);
  const scroller = useRef<HTMLDivElement>(null);
  const held = list.held.value.length;
  // At the top, the list follows what happens.
  useEffect(() => {
    if (held > 0 && (scroller.current?.scrollTop ?? 0) < rowHeight) list.release();
  }, [held]);
  const showNewest = () => {
    list.release();
    scroller.current?.scrollTo({ top: 0 });
  };
  return (
    <>
      <Filters filters={filters} total={list.total.value} />
      {held > 0 && (
        <button type="button" class="new-calls" aria-keyshortcuts="l" onClick={showNewest}>
          {held} new {held === 1 ? "call" : "calls"} above
        </button>
      )}
      <Rows list={list} scroller={scroller} showNewest={showNewest} />
    </>
  );
}

/** The list of a filter. While it loads, the list of the filter before stays. */
function useShownList(filters: CallQuery): CallList {
  const list = useMemo(() => new CallList(filters), [JSON.stringify(filters)]);
  const [shown, show] = useState(list);
  const stream = streams.value;
  useEffect(() => {
    void list.firstPage.then(() => show(list));
    return onCalls((calls) => list.update(calls));
  }, [list]);
  useEffect(() => {
    if (list.state.value !== "loading") void list.refresh();
  }, [stream]);
  return shown;
}

interface RowsProps {
  readonly list: CallList;
  readonly scroller: { current: HTMLDivElement | null };
  readonly showNewest: () => void;
}

function Rows({ list, scroller, showNewest }: RowsProps) {
  const calls = list.calls.value;
  const { workspace, id, query } = route.value;
  const selected =
    id === null ? -1 : calls.findIndex((call) => call.callId === id && call.workspace === workspace);
  const rows = useVirtualRows(scroller, calls.length, rowHeight);
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (calls.length > 0 && last >= calls.length - 40) void list.more();
  }, [last, calls.length]);
  const select = (index: number) => {
    const call = calls[Math.min(calls.length - 1, Math.max(0, index))];
    if (call === undefined) return;
    navigate(href("trace", { workspace: call.workspace, id: call.callId, query }), { replace: true });
    rows.scrollToIndex(calls.indexOf(call), { align: "auto" });
  };
  useKeys({
    j: () => select(selected + 1),
    k: () => select(selected - 1),
    l: showNewest,
    Enter: selected < 0 ? undefined : () => document.getElementById("details")?.focus(),
  });
  return (
    <div class="scroller" ref={scroller} role="region" aria-label="List of calls" tabIndex={0}>
      <ListState list={list} />
      <ul class="virtual" style={{ height: `${rows.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const call = calls[index];
          return (
            call && (
              <li
                key={keyOf(call)}
                aria-setsize={calls.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
              >
                <CallRow
                  call={call}
                  isSelected={index === selected}
                  isFocusable={index === Math.max(0, selected)}
                  query={query}
                />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function ListState({ list }: { list: CallList }) {
  if (list.error.value !== null) return <Failure error={list.error.value} retry={() => void list.more()} />;
  if (list.state.value === "loading") return <Loading what="calls" />;
  if (list.calls.value.length > 0) return null;
  if (Object.keys(list.query).length > 0)
    return (
      <Empty title="No call matches">
        <p>Press x to clear the filters.</p>
      </Empty>
    );
  return (
    <Empty title="No calls yet">
      <p>
        Calls of every client appear here. Try it in a terminal: <code>toolcrib tour</code>
      </p>
    </Empty>
  );
}

interface CallRowProps {
  readonly call: CallSummary;
  readonly isSelected: boolean;
  /** One row at a time, so that Tab leaves a list of any length. */
  readonly isFocusable: boolean;
  readonly query: URLSearchParams;
}

function CallRow({ call, isSelected, isFocusable, query }: CallRowProps) {
  const { created, changed, removed } = call.files;
  const count = created + changed + removed;
  return (
    <a
      class="row call-row"
      aria-current={isSelected}
      tabIndex={isFocusable ? 0 : -1}
      href={href("trace", { workspace: call.workspace, id: call.callId, query })}
    >
      <CallState state={call.state} />
      <span class="time">{formatTime(call.startedAt)}</span>
      <span class={call.parent === null ? "tool" : "tool inner"}>{call.tool}</span>
      <span class="title">
        {printableLine(call.title)}
        {call.message !== null && <span class="message"> {printableLine(call.message)}</span>}
      </span>
      <span class="marks">
        {call.verdict === "ask" && (
          <span title="asked">
            <Icon name="ask" />
            <span class="hidden">asked</span>
          </span>
        )}
        {call.heldBack > 0 && <span class="held-back">{call.heldBack} held back</span>}
        {count > 0 && (
          <span class={call.undoable === "undone" ? "files undone" : "files"}>
            {count} {count === 1 ? "file" : "files"}
            {call.undoable === "undone" && " undone"}
          </span>
        )}
      </span>
      <span class="client muted">{formatClient(call.client)}</span>
      <span class="duration">{formatDuration(call.durationMs)}</span>
    </a>
  );
}
