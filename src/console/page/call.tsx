import { useEffect } from "preact/hooks";
import type { CallDetail } from "../api.ts";
import { Diffs, DiffViewSwitch } from "./diff.tsx";
import { formatClient, formatCount, formatDuration, printableLine, workspaceName } from "./format.ts";
import { HeldBackRow } from "./held-back.tsx";
import { useKeys } from "./keyboard.ts";
import { Output } from "./output.tsx";
import { CallState, Failure, Icon, Key, Loading, RuleText, Time, useLoad, Verdict } from "./parts.tsx";
import { apiPath, get } from "./request.ts";
import { href } from "./router.ts";
import { diffView } from "./settings.ts";
import { overview } from "./store.ts";
import { onCalls } from "./stream.ts";
import { previewUndo } from "./undo.tsx";

interface CallDetailsProps {
  readonly workspace: string;
  readonly callId: string;
  readonly close: () => void;
}

/** Everything about one call: its changes first, then output, input and decision. */
export function CallDetails({ workspace, callId, close }: CallDetailsProps) {
  const { value, error, reload } = useLoad(`${workspace} ${callId}`, (signal) =>
    get<CallDetail>(apiPath("calls", workspace, callId), {}, signal),
  );
  useEffect(
    () =>
      onCalls((calls) => {
        if (calls.some((call) => call.workspace === workspace && call.callId === callId)) reload();
      }),
    [workspace, callId],
  );
  return (
    <>
      <div class="details-bar">
        <button type="button" class="plain" aria-keyshortcuts="Escape" onClick={close}>
          <Icon name="close" />
          <span class="narrow-hidden">Close</span>
        </button>
        <span class="spring" />
        {value !== null && <UndoButtons call={value} reload={reload} />}
      </div>
      <div class="details-scroll">
        {error !== null && <Failure error={error} retry={reload} />}
        {value === null && error === null && <Loading what="the call" />}
        {value !== null && <Call call={value} reload={reload} />}
      </div>
    </>
  );
}

function UndoButtons({ call, reload }: { call: CallDetail; reload: () => void }) {
  const { workspace, callId, undoable, made } = call;
  const canUndo = [call, ...made].some((each) => each.undoable === "whole" || each.undoable === "part");
  const undo = () => previewUndo("Undo this call", { workspace, calls: [callId] }, reload);
  const redo = () => previewUndo("Redo the latest undo", { workspace, redo: true }, reload);
  useKeys({
    u: canUndo ? undo : undefined,
    r: undoable === "undone" ? redo : undefined,
    v: () => {
      diffView.value = diffView.value === "split" ? "unified" : "split";
    },
  });
  return (
    <>
      {call.changed.length > 0 && <DiffViewSwitch />}
      {canUndo && (
        <button type="button" onClick={undo}>
          <Icon name="undo" /> Undo <Key>u</Key>
        </button>
      )}
      {undoable === "undone" && (
        <button type="button" onClick={redo}>
          Redo the latest undo <Key>r</Key>
        </button>
      )}
    </>
  );
}

function Call({ call, reload }: { call: CallDetail; reload: () => void }) {
  const { workspace, callId, undoable } = call;
  const canUndo = undoable === "whole" || undoable === "part";
  return (
    <article class="call">
      <h2 class="call-title">
        <span class="tool">{call.tool}</span> {printableLine(call.title)}
      </h2>
      <CallFacts call={call} />
      {call.message !== null && (
        <div class="failure">
          <Icon name="warning" />
          <div>
            <p>{call.message}</p>
            {call.hint !== null && <p class="muted">{call.hint}</p>}
          </div>
        </div>
      )}
      {call.changed.length > 0 && (
        <section aria-label="Changes">
          <h3>
            {formatCount(call.changed.length, "changed file")}
            {undoable === "undone" && <span class="tag">undone</span>}
            {undoable === "part" && <span class="tag">can be undone in part</span>}
            {undoable === "none" && <span class="tag">cannot be undone</span>}
          </h3>
          <Diffs
            files={call.changed}
            undoHunk={
              canUndo
                ? (file, hunk) =>
                    previewUndo(
                      `Undo a change in ${printableLine(file.path)}`,
                      { workspace, calls: [callId], paths: [file.path], hunk: hunk.number },
                      reload,
                    )
                : undefined
            }
          />
        </section>
      )}
      {call.heldEntries.length > 0 && (
        <section aria-label="Held back">
          <h3>{call.heldEntries.length} held back</h3>
          <p class="muted">
            Created or changed at a protected path while this call ran. Editors, agents, shells or git would
            obey it.
          </p>
          <ul class="rows">
            {call.heldEntries.map((entry) => (
              <HeldBackRow key={entry.id} entry={entry} isInCall />
            ))}
          </ul>
        </section>
      )}
      {call.notCovered.length > 0 && (
        <div class="notice">
          <p>An undo does not restore:</p>
          <ul>
            {call.notCovered.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      {call.made.length > 0 && (
        <section aria-label="Calls">
          <h3>{formatCount(call.made.length, "call")}</h3>
          {call.made.map((inner) => (
            <a key={inner.callId} class="row call-row" href={href("trace", { workspace, id: inner.callId })}>
              <CallState state={inner.state} />
              <span class="tool">{inner.tool}</span>
              <span class="title">{printableLine(inner.title)}</span>
            </a>
          ))}
        </section>
      )}
      {call.output !== null && <Output workspace={workspace} first={call.output} />}
      <section aria-label="Input">
        <h3>Input</h3>
        <InputText input={call.input} />
      </section>
      <Decision call={call} />
    </article>
  );
}

function CallFacts({ call }: { call: CallDetail }) {
  const workspace = overview.value?.workspaces.find(({ id }) => id === call.workspace);
  const link = (callId: string) => (
    <a key={callId} href={href("trace", { workspace: call.workspace, id: callId })}>
      {callId.slice(0, 8)}
    </a>
  );
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <CallState state={call.state} withWord /> {formatDuration(call.durationMs)}
      </dd>
      <dt>Client</dt>
      <dd>
        {formatClient(call.client)} {call.client?.version && printableLine(call.client.version)} ·{" "}
        <a href={href("sessions", { workspace: call.workspace, id: call.session })}>session</a>
      </dd>
      <dt>Workspace</dt>
      <dd title={printableLine(workspace?.path ?? "")}>
        {workspace === undefined ? call.workspace : workspaceName(workspace)}
        {call.target !== "local" && (
          <>
            {" "}
            <span class="tag">target</span>
          </>
        )}
      </dd>
      {call.parent !== null && (
        <>
          <dt>Made by</dt>
          <dd>{link(call.parent)}</dd>
        </>
      )}
      <dt>Started</dt>
      <dd>
        <Time at={call.startedAt} />
      </dd>
      {call.sandbox !== null && (
        <>
          <dt>Sandbox</dt>
          <dd>{call.sandbox}</dd>
        </>
      )}
      {call.undoneBy !== null && (
        <>
          <dt>Undone by</dt>
          <dd>{link(call.undoneBy)}</dd>
        </>
      )}
      {call.undid.length > 0 && (
        <>
          <dt>Undid</dt>
          <dd class="links">{call.undid.map(link)}</dd>
        </>
      )}
    </dl>
  );
}

function Decision({ call }: { call: CallDetail }) {
  const { decision, accesses } = call;
  if (decision === null && accesses.length === 0) return null;
  return (
    <section aria-label="Decision">
      <h3>Decision</h3>
      {decision !== null && (
        <dl class="facts">
          <dt>Verdict</dt>
          <dd>
            <Verdict verdict={decision.verdict} />
            {decision.answer !== undefined && ` · answered: ${decision.answer}`}
          </dd>
          <dt>Rule</dt>
          <dd>
            <RuleText rule={decision.rule} source={decision.source} />
          </dd>
          <dt>Reason</dt>
          <dd>{decision.reason}</dd>
        </dl>
      )}
      {accesses.length > 0 && (
        <ul class="accesses">
          {accesses.map((access, index) => (
            <li key={index}>
              <span class="tag">{access.kind}</span>{" "}
              <code>
                {printableLine(
                  access.kind === "execute"
                    ? access.command
                    : access.kind === "network"
                      ? access.host
                      : access.path,
                )}
              </code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Input as indented JSON; a text of several lines is shown as it is, below its name. */
function InputText({ input }: { input: unknown }) {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  const entries = isObject ? Object.entries(input) : [];
  const texts = entries.filter(([, value]) => typeof value === "string" && value.includes("\n"));
  const rest = entries.filter((entry) => !texts.includes(entry));
  const shown = texts.length > 0 ? Object.fromEntries(rest) : input;
  return (
    <>
      {(texts.length === 0 || rest.length > 0) && (
        <pre class="input" tabIndex={0}>
          {typeof shown === "string" ? shown : JSON.stringify(shown, null, 2)}
        </pre>
      )}
      {texts.map(([name, text]) => (
        <div key={name}>
          <p class="muted">{printableLine(name)}</p>
          <pre class="input" tabIndex={0}>
            {text}
          </pre>
        </div>
      ))}
    </>
  );
}
