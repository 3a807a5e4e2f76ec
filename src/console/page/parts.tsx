import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatAge, formatTime } from "./format.ts";
import { releaseKeys } from "./keyboard.ts";
import { RequestError } from "./request.ts";
import { streams } from "./store.ts";

const shapes = {
  ok: "M3 8.5 6.5 12 13 4.5",
  failed: "M4 4l8 8M12 4l-8 8",
  running: "M8 2a6 6 0 1 1-6 6",
  denied: "M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2ZM3.8 3.8l8.4 8.4",
  interrupted: "M5.5 3.5v9M10.5 3.5v9",
  ask: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.6 8 9 8 9.8M8 12.5v.3",
  pending: "M8 3a5 5 0 1 0 0 10A5 5 0 1 0 8 3Z",
  warning: "M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.6v.2",
  now: "M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2ZM8 5v3l2 2",
  trace: "M2.5 4h11M2.5 8h11M2.5 12h7",
  sessions: "M2.5 3h11v8h-6L4 13.5V11H2.5Z",
  fleets: "M2 3h5v4H2ZM9 3h5v4H9ZM2 9h5v4H2ZM9 9h5v4H9Z",
  rules: "M8 1.8 13 4v4c0 3-2 5-5 6.2C5 13 3 11 3 8V4Z",
  health: "M1.5 8.5H5L6.5 4l3 8.5L11 8.5h3.5",
  folder: "M2 4h4l1.5 1.5H14v7H2Z",
  theme: "M8 2a6 6 0 1 0 0 12ZM8 2a6 6 0 0 1 0 12",
  keys: "M1.5 4h13v8h-13ZM4 6.5h.2M7 6.5h.2M10 6.5h.2M12 6.5h.2M5 9.5h6",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1H3ZM7 14h2",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  close: "M4 4l8 8M12 4l-8 8",
  undo: "M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6",
  next: "M6 3.5 10.5 8 6 12.5",
} as const;
export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}

/** The state of a call or subagent: an icon, and a word for those who do not see it. */
export function CallState({ state, withWord = false }: { state: string; withWord?: boolean }) {
  const name = stateIcon(state);
  return (
    <span class={`state state-${name}`} title={state}>
      <Icon name={name} />
      <span class={withWord ? "" : "hidden"}>{state}</span>
    </span>
  );
}

function stateIcon(state: string): IconName {
  if (state === "ok" || state === "running" || state === "interrupted") return state;
  if (state === "completed") return "ok";
  if (state === "closed") return "interrupted";
  if (state === "denied") return "denied";
  return state === "needs-approval" ? "ask" : "failed";
}

export function Verdict({ verdict }: { verdict: string }) {
  const name = verdict === "allow" ? "ok" : verdict === "deny" ? "denied" : "ask";
  return (
    <span class={`verdict verdict-${name}`}>
      <Icon name={name} />
      {verdict}
    </span>
  );
}

export function Badge({ count, label }: { count: number; label: string }) {
  if (count === 0) return null;
  return (
    <span class="badge">
      {count}
      <span class="hidden"> {label}</span>
    </span>
  );
}

/** Ticks while a page is visible, for ages and running times. */
export const clock = signal(Date.now());
setInterval(() => {
  if (!document.hidden) clock.value = Date.now();
}, 1_000);

export function Age({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatAge(at, clock.value)}
    </time>
  );
}

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatTime(at)}
    </time>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div class="loading" role="status">
      <span class="spinner" />
      Loading {what}…
    </div>
  );
}

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const hint = error instanceof RequestError ? error.hint : null;
  // The lines after the first are details, such as a diff.
  const [message, details] = (error instanceof Error ? error.message : String(error)).split(/\n(.*)/s);
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>{message}</p>
        {details !== undefined && <pre tabIndex={0}>{details}</pre>}
        {hint !== null && <p class="muted">{hint}</p>}
        {retry !== undefined && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

type Loaded<Value> = {
  readonly value: Value | null;
  readonly error: unknown;
  readonly reload: () => void;
  readonly replace: (value: Value) => void;
};

/**
 * Loads something for a key, and again when the key changes, after a reconnection, or on `reload`. Keeps the old value of the
 * same key meanwhile.
 */
export function useLoad<Value>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const [state, setState] = useState<{ key: string | null; value: Value | null; error: unknown }>({
    key: null,
    value: null,
    error: null,
  });
  const [round, setRound] = useState(0);
  const stream = streams.value;
  useEffect(() => {
    if (key === null) return undefined;
    const controller = new AbortController();
    load(controller.signal).then(
      (value) => setState({ key, value, error: null }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setState((old) => ({ key, value: old.key === key ? old.value : null, error }));
      },
    );
    return () => controller.abort();
  }, [key, round, stream]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : null,
    error: isCurrent ? state.error : null,
    reload: () => setRound((old) => old + 1),
    replace: (value) => setState({ key, value, error: null }),
  };
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly isWide?: boolean;
}

/** A modal dialog of the browser, which traps the focus and gives it back. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    releaseKeys();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={isWide ? "wide" : ""}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header class="dialog-head">
        <h2>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** A button that waits for its action, and cannot be pressed twice meanwhile. */
export function ActionButton({
  run,
  children,
  ...props
}: Omit<JSX.IntrinsicElements["button"], "onClick"> & { run: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false);
  return (
    <button
      type="button"
      {...props}
      aria-busy={isBusy}
      disabled={isBusy || props.disabled === true}
      onClick={() => {
        setBusy(true);
        void run().finally(() => setBusy(false));
      }}
    >
      {children}
    </button>
  );
}

export function Key({ children }: { children: string }) {
  return <kbd>{children}</kbd>;
}

/** A rule and where it is from. The text of a mode names its source already. */
export function RuleText({ rule, source }: { rule: string; source: string }) {
  return (
    <>
      <code>{rule}</code> {!rule.startsWith(source) && <span class="muted">{source}</span>}
    </>
  );
}
