import { useEffect, useState } from "preact/hooks";
import type { FleetAction, FleetAnswer, FleetOverview, FleetSummary } from "../api.ts";
import { FleetRuns } from "./fleet-runs.tsx";
import { formatCost, formatCount, formatDuration, printableLine } from "./format.ts";
import { holdKeys, useKeys } from "./keyboard.ts";
import { ActionButton, Age, Dialog, Empty, Failure, Icon, Loading, useLoad } from "./parts.tsx";
import { get, post } from "./request.ts";
import { href, navigate, route } from "./router.ts";
import { RunDetails } from "./run.tsx";
import { toast, toastError } from "./store.ts";

/** All fleets, one fleet with its runs, or one run of it, as the address says. */
export function FleetsPage() {
  const { workspace: fleet, id, query } = route.value;
  const { value, error, reload } = useLoad("fleets", (signal) =>
    get<FleetOverview>("/api/fleets", {}, signal),
  );
  useRefresh(reload);
  const up = id !== null ? href("fleets", { workspace: fleet, query }) : href("fleets");
  useKeys(fleet === null ? {} : { Escape: () => navigate(up) });
  const summary = value?.fleets.find(({ name }) => name === fleet);
  return (
    <div class={id === null ? "columns" : "columns with-details"}>
      <section class="list-column" aria-label="Fleets">
        {error !== null && <Failure error={error} retry={reload} />}
        {value === null && error === null && <Loading what="fleets" />}
        {value !== null && fleet === null && <FleetList overview={value} />}
        {value !== null && fleet !== null && summary === undefined && (
          <Empty title="There is no such fleet">
            <a href={href("fleets")}>Show all fleets</a>
          </Empty>
        )}
        {value !== null && summary !== undefined && (
          <>
            <FleetHead fleet={summary} overview={value} reload={reload} />
            <FleetRuns key={summary.name} fleet={summary.name} version={versionOf(summary)} />
          </>
        )}
      </section>
      {fleet !== null && id !== null && (
        <section class="details-column" aria-label="Selected run" id="details" tabIndex={-1}>
          <RunDetails
            key={`${fleet} ${id}`}
            fleet={fleet}
            id={id}
            version={summary && versionOf(summary)}
            close={() => navigate(up)}
            reload={reload}
          />
        </section>
      )}
    </div>
  );
}

/** Differs when runs changed, so that what shows them is loaded again. */
function versionOf({ states, outcomes, spent }: FleetSummary): string {
  return JSON.stringify([states, outcomes, spent]);
}

const refreshMs = 3_000;

/** Workers are on other machines, so the server cannot say when something changed. */
function useRefresh(reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, []);
}

function FleetList({ overview: { fleets } }: { overview: FleetOverview }) {
  useKeys({ j: () => focusRow(1), k: () => focusRow(-1) });
  if (fleets.length === 0)
    return (
      <Empty title="No fleets yet">
        <p>
          Run many tasks at once: <code>toolcrib fleet submit fleet.yaml</code>
        </p>
      </Empty>
    );
  return (
    <div class="scroller" role="region" aria-label="List of fleets" tabIndex={0}>
      <ul class="rows">
        {fleets.map((fleet) => (
          <li key={fleet.name}>
            <a class="row fleet-row" href={href("fleets", { workspace: fleet.name })}>
              <span class="title">{printableLine(fleet.name)}</span>
              <span class="muted">
                <Age at={fleet.createdAt} /> ago
              </span>
              <Progress fleet={fleet} />
              <FleetFacts fleet={fleet} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function focusRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main .fleet-row")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}

/** A bar of all runs: the outcomes, then what is not done yet. */
function Progress({ fleet: { states, outcomes } }: { fleet: FleetSummary }) {
  const parts = { ...outcomes, running: states.running, parked: states.parked };
  const all = Object.values(states).reduce((sum, count) => sum + count, 0);
  const words = Object.entries({ ...parts, waiting: states.waiting }).filter(([, count]) => count > 0);
  return (
    <span
      class="progress"
      role="img"
      aria-label={`Progress: ${words.map(([name, count]) => `${count} ${name}`).join(", ")}`}
    >
      {Object.entries(parts).map(([name, count]) => (
        <span key={name} class={`part-${name}`} style={{ width: `${(count / Math.max(1, all)) * 100}%` }} />
      ))}
    </span>
  );
}

function FleetFacts({ fleet }: { fleet: FleetSummary }) {
  const { states, outcomes, spent, budget, remainingMs } = fleet;
  const all = Object.values(states).reduce((sum, count) => sum + count, 0);
  return (
    <span class="facts-line muted">
      <span>
        {states.ended.toLocaleString("en")} of {formatCount(all, "run")} ended
      </span>
      {Object.entries({ ...outcomes, running: states.running, parked: states.parked }).map(
        ([name, count]) =>
          count > 0 && (
            <span key={name}>
              <span class={`key part-${name}`} /> {count.toLocaleString("en")} {name}
            </span>
          ),
      )}
      <span class={budget !== null && spent >= budget ? "danger" : ""}>
        {formatCost(spent)}
        {budget !== null && ` of ${formatCost(budget)}`} spent
      </span>
      {remainingMs !== null && remainingMs > 0 && <span>about {formatDuration(remainingMs)} left</span>}
    </span>
  );
}

function FleetHead({
  fleet,
  overview,
  reload,
}: {
  fleet: FleetSummary;
  overview: FleetOverview;
  reload: () => void;
}) {
  const open = fleet.states.waiting + fleet.states.running + fleet.states.parked;
  const [asked, ask] = useState<FleetAction | null>(null);
  const act = (action: Omit<FleetAction, "fleet">) => {
    holdKeys();
    ask({ fleet: fleet.name, ...action });
  };
  return (
    <header class="fleet-head">
      <div class="fleet-title">
        <a href={href("fleets")}>Fleets</a>
        <Icon name="next" />
        <h2>{printableLine(fleet.name)}</h2>
        <span class="spring" />
        {fleet.outcomes.infrastructure > 0 && (
          <button type="button" onClick={() => act({ action: "retry", outcomes: ["infrastructure"] })}>
            Retry <span class="narrow-hidden">infrastructure</span>
          </button>
        )}
        {open > 0 && (
          <button type="button" onClick={() => act({ action: "cancel" })}>
            Cancel
          </button>
        )}
      </div>
      <Progress fleet={fleet} />
      <FleetFacts fleet={fleet} />
      <Machines overview={overview} />
      {asked !== null && (
        <ConfirmAction
          action={asked}
          count={asked.action === "cancel" ? open : fleet.outcomes.infrastructure}
          close={() => ask(null)}
          done={reload}
        />
      )}
    </header>
  );
}

/** Workers and lanes of the whole database: all fleets share them. */
function Machines({ overview: { workers, lanes, now } }: { overview: FleetOverview }) {
  const paused = lanes.filter(({ pausedUntil }) => pausedUntil > now);
  return (
    <details>
      <summary>
        {formatCount(workers.length, "worker")}, {formatCount(lanes.length, "lane")}
        {paused.length > 0 && <span class="tag warning">{paused.length} paused</span>}
      </summary>
      <ul class="machines">
        {lanes.map(({ lane, inFlight, pausedUntil }) => (
          <li key={lane}>
            <strong>{printableLine(lane)}</strong> {formatCount(inFlight, "request")} in flight
            {pausedUntil > now && (
              <span class="tag warning">paused for {formatDuration(pausedUntil - now)}</span>
            )}
          </li>
        ))}
        {workers.map(({ id, host, pid, slots, seenAt, isDraining }) => (
          <li key={id}>
            <strong>{printableLine(host)}</strong> process {pid}, {formatCount(slots, "slot")}, seen{" "}
            {formatDuration(Math.max(0, now - seenAt))} ago
            {isDraining && <span class="tag">draining</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface ConfirmProps {
  readonly action: FleetAction;
  readonly count: number;
  readonly close: () => void;
  readonly done: () => void;
}

/** Asks before runs are cancelled or retried, and says what that means. */
export function ConfirmAction({ action, count, close, done }: ConfirmProps) {
  const isCancel = action.action === "cancel";
  const runs = formatCount(count, "run");
  const act = async () => {
    try {
      const answer = await post<FleetAnswer, FleetAction>("/api/fleets/act", action);
      close();
      done();
      toast(`${formatCount(answer.count, "run")} ${isCancel ? "cancelled" : "queued again"}.`);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Dialog title={isCancel ? `Cancel ${runs}?` : `Retry ${runs}?`} onClose={close}>
      <p class="dialog-body">
        {isCancel
          ? "Running sessions are stopped. Results of ended runs stay."
          : "Each begins again with a new session and workspace, and costs money again."}
      </p>
      <footer class="dialog-foot">
        <span class="spring" />
        <button type="button" onClick={close}>
          Back
        </button>
        <ActionButton class="primary" run={act}>
          {isCancel ? `Cancel ${runs}` : `Retry ${runs}`}
        </ActionButton>
      </footer>
    </Dialog>
  );
}
