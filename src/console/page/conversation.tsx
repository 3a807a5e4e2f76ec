import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveEvent, SessionDetail, SessionItem } from "../api.ts";
import { formatCount, printableLine } from "./format.ts";
import { Markdown } from "./markdown.tsx";
import { AnsiText } from "./output.tsx";
import { ActionButton, CallState, Empty, Time } from "./parts.tsx";
import { href } from "./router.ts";
import { fork } from "./session-actions.ts";
import { streams } from "./store.ts";
import { followSession, onCalls } from "./stream.ts";

/** Follows the end while the user is there. */
export function Conversation({ length, children }: { length: number; children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(false);
  useEffect(() => {
    if (isAtEnd.current) element.current?.scrollTo({ top: element.current.scrollHeight });
  }, [length]);
  return (
    <div
      class="details-scroll"
      role="region"
      aria-label="Conversation"
      tabIndex={0}
      ref={element}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop > 0 && scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {children}
    </div>
  );
}

/** Texts that an agent writes at this moment, by message or call, until they are recorded. */
type LiveTexts = Readonly<Record<string, string>>;

const shownLiveText = 20_000;

/** Follows a session. Recorded items replace the live texts that came before them. */
export function useLiveTexts(workspace: string, session: string, reload: () => void): LiveTexts {
  const [texts, setTexts] = useState<LiveTexts>({});
  // A new stream continues in the middle of a text.
  useEffect(() => setTexts({}), [streams.value]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const recorded = new Set<string>();
    const seen = new Set<string>();
    const reloadSoon = () => {
      for (const id of seen) recorded.add(id);
      clearTimeout(timer);
      timer = setTimeout(() => {
        setTexts((old) => Object.fromEntries(Object.entries(old).filter(([id]) => !recorded.has(id))));
        recorded.clear();
        reload();
      }, 150);
    };
    const receive = (event: LiveEvent) => {
      if (event.type === "recorded") reloadSoon();
      if (event.type !== "text" && event.type !== "output") return;
      seen.add(event.id);
      recorded.delete(event.id);
      setTexts((old) => ({ ...old, [event.id]: ((old[event.id] ?? "") + event.text).slice(-shownLiveText) }));
    };
    const endLive = followSession(workspace, session, receive);
    const endCalls = onCalls((calls) => {
      if (calls.some((call) => call.workspace === workspace && call.session === session)) reloadSoon();
    });
    return () => {
      clearTimeout(timer);
      endLive();
      endCalls();
    };
  }, [workspace, session]);
  return texts;
}

/** Items that are shown before the user asks for more: a long history must not freeze the page. */
const shownItems = 200;

interface EntriesProps {
  readonly entries: readonly SessionItem[];
  /** The session that links and forks refer to; null for one that is not in a workspace of this console. */
  readonly session: SessionDetail | null;
  readonly live?: LiveTexts;
}

export function Entries({ entries, session, live = {} }: EntriesProps) {
  const [limit, setLimit] = useState(shownItems);
  const items = foldCalls(entries);
  const running = Object.entries(live);
  if (items.length + running.length === 0)
    return (
      <Empty title="No conversation is recorded">
        <p>This client keeps its conversation itself. Its calls are in the trace.</p>
      </Empty>
    );
  return (
    <div class="conversation">
      {items.length > limit && (
        <button type="button" onClick={() => setLimit(limit + 5 * shownItems)}>
          Show earlier messages
        </button>
      )}
      {items
        .slice(-limit)
        .map((item) =>
          "calls" in item ? (
            <Calls key={item.key} calls={item.calls} workspace={session?.workspace ?? null} />
          ) : (
            <Entry key={item.key} item={item.item} session={session} />
          ),
        )}
      {running.map(([id, text]) => (
        <pre key={id} class="is-live">
          <AnsiText text={text} />
        </pre>
      ))}
    </div>
  );
}

type CallItem = Extract<SessionItem, { type: "call" }>;

type Folded =
  | { readonly key: number; readonly calls: CallItem[] }
  | { readonly key: number; readonly item: Exclude<SessionItem, CallItem> };

/** Puts calls that follow each other into one fold. */
function foldCalls(entries: readonly SessionItem[]): readonly Folded[] {
  const folded: Folded[] = [];
  for (const [key, item] of entries.entries()) {
    const last = folded.at(-1);
    if (item.type !== "call") folded.push({ key, item });
    else if (last !== undefined && "calls" in last) last.calls.push(item);
    else folded.push({ key, calls: [item] });
  }
  return folded;
}

function Calls({ calls, workspace }: { calls: readonly CallItem[]; workspace: string | null }) {
  const failed = calls.filter(({ state }) => state !== "ok" && state !== "running").length;
  return (
    <details
      class="entry entry-calls"
      open={calls.length <= 3 || calls.some(({ state }) => state === "running")}
    >
      <summary>
        {formatCount(calls.length, "call")}
        {failed > 0 && <span class="danger"> · {failed} failed</span>}
      </summary>
      <ul>
        {calls.map((call, index) => (
          <li key={index}>
            <a
              class="row call-row"
              href={
                call.callId === null || workspace === null
                  ? undefined
                  : href("trace", { workspace, id: call.callId })
              }
            >
              <CallState state={call.state} />
              <span class="tool">{call.tool}</span>
              <span class="title">{printableLine(call.title)}</span>
              {call.agent !== null && <span class="muted">{printableLine(call.agent)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Entry({ item, session }: { item: Exclude<SessionItem, CallItem>; session: SessionDetail | null }) {
  if (item.type === "reasoning")
    return (
      <details class="entry entry-reasoning">
        <summary>Reasoning</summary>
        <Markdown text={item.text} />
      </details>
    );
  return (
    <div class={`entry entry-${item.type}`}>
      {item.type === "user" && (
        <p class="entry-head">
          You · <Time at={item.at} />
          <span class="spring" />
          {session !== null && item.turn > 1 && (
            <ActionButton class="plain" run={() => fork(session, item.turn - 1)}>
              Fork before this
            </ActionButton>
          )}
        </p>
      )}
      {item.type === "model" ? <Markdown text={item.text} /> : <p class="text">{item.text}</p>}
    </div>
  );
}
