import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FleetAction, RunDetail, RunSession } from "../api.ts";
import { Entries } from "./conversation.tsx";
import { Diffs, DiffViewSwitch } from "./diff.tsx";
import { RunState } from "./fleet-runs.tsx";
import { ConfirmAction } from "./fleets.tsx";
import { formatCost, formatCount, formatDuration, printableLine } from "./format.ts";
import { holdKeys, useKeys } from "./keyboard.ts";
import { Failure, Icon, Loading, Time, useLoad } from "./parts.tsx";
import { address, apiPath, get } from "./request.ts";
import { diffView } from "./settings.ts";

interface RunDetailsProps {
  readonly fleet: string;
  readonly id: string;
  /** Changes when the run may have changed. */
  readonly version: string | undefined;
  readonly close: () => void;
  readonly reload: () => void;
}

/** Everything about one run: its outcome and reason first, then its patch, answer and prompt. */
export function RunDetails({ fleet, id, version, close, reload: reloadFleet }: RunDetailsProps) {
  const { value, error, reload } = useLoad(`${fleet} ${id}`, (signal) =>
    get<RunDetail>(apiPath("fleets", fleet, "runs", id), {}, signal),
  );
  useEffect(reload, [version]);
  const [asked, ask] = useState<FleetAction["action"] | null>(null);
  const act = (action: FleetAction["action"]) => {
    holdKeys();
    ask(action);
  };
  useKeys({
    v: () => {
      diffView.value = diffView.value === "split" ? "unified" : "split";
    },
  });
  return (
    <>
      <div class="details-bar">
        <button type="button" class="plain" aria-keyshortcuts="Escape" onClick={close}>
          <Icon name="close" />
          <span class="narrow-hidden">Close</span>
        </button>
        <span class="spring" />
        {value !== null && value.changed.length > 0 && <DiffViewSwitch />}
        {value !== null && value.state === "ended" && !value.isSuperseded && (
          <button type="button" onClick={() => act("retry")}>
            Retry
          </button>
        )}
        {value !== null && value.state !== "ended" && !value.isCancelled && (
          <button type="button" onClick={() => act("cancel")}>
            Cancel the run
          </button>
        )}
      </div>
      <div class="details-scroll">
        {error !== null && <Failure error={error} retry={reload} />}
        {value === null && error === null && <Loading what="the run" />}
        {value !== null && <RunArticle run={value} fleet={fleet} />}
      </div>
      {asked !== null && (
        <ConfirmAction
          action={{ fleet, action: asked, runs: [id] }}
          count={1}
          close={() => ask(null)}
          done={() => {
            reload();
            reloadFleet();
          }}
        />
      )}
    </>
  );
}

function RunArticle({ run, fleet }: { run: RunDetail; fleet: string }) {
  return (
    <article class="call">
      <h2 class="call-title">{printableLine(run.task)}</h2>
      <RunFacts run={run} />
      {run.changed.length > 0 && (
        <section aria-label="Patch">
          <h3>{formatCount(run.changed.length, "changed file")}</h3>
          <Diffs files={run.changed} />
        </section>
      )}
      {run.patchNote !== null && <p class="notice">{printableLine(run.patchNote)}</p>}
      <Text title="Answer" text={run.answer} />
      {run.check !== null && (
        <Text title={`Check: exit code ${run.check.exitCode ?? "none"}`} text={run.check.output} />
      )}
      <Text title="Prompt" text={run.prompt} />
      {run.hasSession && <RunConversation key={run.state} path={apiPath("fleets", fleet, "runs", run.id)} />}
      {run.downloads.length > 0 && (
        <section aria-label="Artifacts">
          <h3>Artifacts</h3>
          <p class="links wrap">
            {run.downloads.map((name) => (
              <a
                key={name}
                download
                href={address(apiPath("fleets", fleet, "runs", run.id, "artifacts", name))}
              >
                {name}
              </a>
            ))}
          </p>
        </section>
      )}
    </article>
  );
}

/** Loads the conversation when the user opens it: it may be long, or in a remote store. */
function RunConversation({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="run-session" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Session</summary>
      {isOpen && <LoadedConversation path={`${path}/session`} />}
    </details>
  );
}

function LoadedConversation({ path }: { path: string }) {
  const { value, error, reload } = useLoad(path, (signal) => get<RunSession>(path, {}, signal));
  if (error !== null) return <Failure error={error} retry={reload} />;
  if (value === null) return <Loading what="the session" />;
  return <Entries entries={value.entries} session={null} />;
}

function Text({ title, text }: { title: string; text: string | null }) {
  if (text === null || text === "") return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}

function RunFacts({ run }: { run: RunDetail }) {
  const { tokens } = run;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ["Outcome", <RunState key="state" run={run} withWord />],
    ["Reason", run.reason && printableLine(run.reason)],
    ["Model", printableLine(run.model)],
    ["Repository", run.repository && printableLine(`${run.repository} ${run.revision ?? ""}`)],
    ["Time", formatDuration(run.workMs)],
    ["Cost", formatCost(run.cost)],
    [
      "Tokens",
      tokens && `${tokens.input.toLocaleString("en")} input, ${tokens.output.toLocaleString("en")} output`,
    ],
    [
      "Work",
      run.rounds !== null && `${formatCount(run.rounds, "round")}, ${formatCount(run.calls ?? 0, "call")}`,
    ],
    ["Started", run.startedAt && <Time key="started" at={run.startedAt} />],
    ["Ended", run.endedAt && <Time key="ended" at={run.endedAt} />],
    ["Next try", run.state === "parked" && <Time key="next" at={run.notBefore} />],
    ["Deliveries", run.deliveries > 1 && String(run.deliveries)],
    ["Worker", run.worker && printableLine(run.worker)],
    ["Artifacts", run.artifacts && <code key="artifacts">{printableLine(run.artifacts)}</code>],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
