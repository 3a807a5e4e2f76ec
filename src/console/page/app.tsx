import { useEffect, useRef, useState } from "preact/hooks";
import { FleetsPage } from "./fleets.tsx";
import { formatClient, printableLine, workspaceName } from "./format.ts";
import { HealthPage } from "./health.tsx";
import { isHelpOpen, keyGroups, useKeys } from "./keyboard.ts";
import { canNotify, switchNotifications } from "./notify.ts";
import { NowPage } from "./now.tsx";
import { Badge, Dialog, Icon, Key } from "./parts.tsx";
import { QuestionBar } from "./questions.tsx";
import { href, navigate, type PageName, pages, route } from "./router.ts";
import { RulesPage } from "./rules.tsx";
import { SessionsPage } from "./sessions.tsx";
import { nextTheme, notifications, theme } from "./settings.ts";
import { connection, dismiss, overview, questions, toasts } from "./store.ts";
import { TracePage } from "./trace.tsx";
import { UndoDialog } from "./undo.tsx";

const titles: Readonly<Record<PageName, string>> = {
  now: "Now",
  trace: "Trace",
  sessions: "Sessions",
  fleets: "Fleets",
  rules: "Rules",
  health: "Health",
};
const components = {
  now: NowPage,
  trace: TracePage,
  sessions: SessionsPage,
  fleets: FleetsPage,
  rules: RulesPage,
  health: HealthPage,
};

export function App() {
  const { page } = route.value;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const Page = components[page];
  useKeys({
    "?": () => {
      isHelpOpen.value = true;
    },
    t: nextTheme,
    ...Object.fromEntries(pages.map((name) => [`g ${name[0]}`, () => navigate(href(name))])),
  });
  useEffect(() => setMenuOpen(false), [route.value]);
  if (connection.value === "signed-out") return <SignedOut />;
  return (
    <div class={isMenuOpen ? "app menu-open" : "app"}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the page
      </button>
      <header class="top">
        <button
          type="button"
          class="plain menu-button"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="menu" />
        </button>
        <h1 class="page-title">{titles[page]}</h1>
        <span class="spring" />
        <ConnectionState />
        <Switches />
      </header>
      <SideBar page={page} />
      <QuestionBar questions={questions.value} />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
      <Toasts />
      <UndoDialog />
      {isHelpOpen.value && <Help />}
    </div>
  );
}

function ConnectionState() {
  const state = connection.value;
  return (
    <span class={`connection is-${state}`} role="status">
      {state === "lost" && (
        <>
          <Icon name="warning" /> Offline<span class="narrow-hidden">, reconnecting…</span>
        </>
      )}
      {state === "connecting" && "Connecting…"}
    </span>
  );
}

function Switches() {
  return (
    <>
      {canNotify && (
        <button
          type="button"
          class="plain"
          aria-pressed={notifications.value === "on"}
          title="Notify me of questions"
          onClick={() => void switchNotifications()}
        >
          <Icon name="bell" />
          <span class="narrow-hidden">Notifications {notifications.value}</span>
        </button>
      )}
      <button type="button" class="plain" aria-keyshortcuts="t" onClick={nextTheme} title="Switch the theme">
        <Icon name="theme" />
        <span class="narrow-hidden">Theme: {theme.value}</span>
      </button>
      <button
        type="button"
        class="plain"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => {
          isHelpOpen.value = true;
        }}
      >
        <Icon name="keys" />
      </button>
    </>
  );
}

function SideBar({ page }: { page: PageName }) {
  const waiting = questions.value;
  const { workspaces = [], sessions = [] } = overview.value ?? {};
  return (
    <nav class="side" aria-label="Console">
      <ul>
        {pages.map((name) => (
          <li key={name}>
            <a href={href(name)} aria-current={name === page ? "page" : undefined}>
              <Icon name={name} />
              <span class="grow">{titles[name]}</span>
              {name === "now" && <Badge count={waiting.length} label="waiting questions" />}
            </a>
          </li>
        ))}
      </ul>
      {workspaces.length > 0 && <p class="side-title">Workspaces</p>}
      <ul>
        {workspaces.slice(0, 12).map((workspace) => (
          <li key={workspace.id}>
            <a
              href={href("trace", { query: { workspace: workspace.id } })}
              title={printableLine(workspace.path ?? workspace.id)}
            >
              <Icon name="folder" />
              <span class="grow">{workspaceName(workspace)}</span>
              <Badge
                count={waiting.filter((question) => question.workspace === workspace.id).length}
                label="waiting questions"
              />
            </a>
            <ul>
              {sessions
                .filter((session) => session.workspace === workspace.id)
                .map((session) => (
                  <li key={session.session}>
                    <a
                      class="side-session"
                      href={href("sessions", { workspace: workspace.id, id: session.session })}
                    >
                      <span class={`dot is-${session.live ?? session.state}`} />
                      <span class="grow">{printableLine(session.title ?? formatClient(session.client))}</span>
                      <Badge
                        count={waiting.filter((question) => question.session === session.session).length}
                        label="waiting questions"
                      />
                    </a>
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ul>
      <p class="side-foot">{overview.value !== null && `toolcrib ${overview.value.version}`}</p>
    </nav>
  );
}

function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`toast toast-${kind}`}>
          {kind === "error" && <Icon name="warning" />}
          <span class="grow">{text}</span>
          {action !== undefined && (
            <button
              type="button"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

function Help() {
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close} isWide>
      <div class="dialog-body keys">
        {keyGroups.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, label]) => (
                <div key={key}>
                  <dt>
                    <Key>{key}</Key>
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function SignedOut() {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <main class="signed-out">
      <h1 ref={title} tabIndex={-1}>
        Sign in from the terminal
      </h1>
      <p>
        The address of the console works once. Run <code>toolcrib console</code> and open the address that it
        prints.
      </p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
