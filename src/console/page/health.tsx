import { useState } from "preact/hooks";
import type { HealthReport, VerifyResult } from "../api.ts";
import { formatBytes, formatCount } from "./format.ts";
import { ActionButton, Empty, Failure, Icon, Loading, useLoad } from "./parts.tsx";
import { get, post } from "./request.ts";
import { href, navigate } from "./router.ts";
import { overview, toastError } from "./store.ts";
import { useWorkspace, WorkspaceSelect } from "./workspace-select.tsx";

export function HealthPage() {
  const workspace = useWorkspace();
  const { value, error, reload } = useLoad(workspace, (signal) =>
    get<HealthReport>("/api/health", { workspace }, signal),
  );
  if (workspace === null)
    return overview.value === null ? <Loading what="the report" /> : <Empty title="No workspaces yet" />;
  return (
    <div class="page health">
      <div class="filters">
        <WorkspaceSelect value={workspace} set={(next) => navigate(href("health", { workspace: next }))} />
        <button type="button" onClick={reload}>
          Check again
        </button>
      </div>
      {error !== null && <Failure error={error} retry={reload} />}
      {value === null && error === null && <Loading what="the report" />}
      {value !== null && (
        <div class="panels" key={workspace}>
          <Findings report={value} />
          <Journal workspace={workspace} />
          <DiskUse report={value} />
        </div>
      )}
    </div>
  );
}

function Findings({ report: { verdict, findings } }: { report: HealthReport }) {
  const good = findings.filter(({ state }) => state === "ok");
  return (
    <section class="panel" aria-label="Findings">
      <h2>Findings</h2>
      <p>{verdict}</p>
      <FindingList findings={findings.filter(({ state }) => state === "problem")} />
      <FindingList findings={findings.filter(({ state }) => state === "warning")} />
      <details>
        <summary>{formatCount(good.length, "check")} without a finding</summary>
        <FindingList findings={good} />
      </details>
    </section>
  );
}

function FindingList({ findings }: Pick<HealthReport, "findings">) {
  return (
    <ul class="findings">
      {findings.map(({ about, state, message, hint }) => (
        <li key={about + message} class={`finding-${state}`}>
          <Icon name={state === "ok" ? "ok" : state === "warning" ? "warning" : "failed"} />
          <span class="hidden">{state}: </span>
          <div>
            <strong>{about}</strong> {message}
            {hint !== null && <p class="muted">{hint}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Journal({ workspace }: { workspace: string }) {
  const [result, setResult] = useState<VerifyResult | null>(null);
  const verify = () => post<VerifyResult>("/api/health/verify", { workspace }).then(setResult, toastError);
  return (
    <section class="panel" aria-label="Journal">
      <h2>Journal</h2>
      <p class="muted">Every record contains the hash of the record before, so a change of the past shows.</p>
      <ActionButton run={verify}>Verify the hash chain</ActionButton>
      <div role="status">
        {result !== null && (
          <>
            <p class={result.isIntact ? "good" : "danger"}>
              <Icon name={result.isIntact ? "ok" : "failed"} />
              {result.isIntact ? "Intact" : "Changed"}: {formatCount(result.records, "record")}
            </p>
            <p class="muted">
              Head <code class="hash">{result.head}</code>
            </p>
            <ul>
              {result.faults.map((fault) => (
                <li key={fault}>{fault}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  );
}

function DiskUse({ report: { disk, index } }: { report: HealthReport }) {
  const most = Math.max(1, ...disk.map(({ bytes }) => bytes));
  return (
    <section class="panel" aria-label="Disk use">
      <h2>Disk use</h2>
      <table class="disk">
        <tbody>
          {disk.map(({ name, bytes }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="bar">
                <span style={{ width: `${(bytes / most) * 100}%` }} />
              </td>
              <td class="bytes">{formatBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {index !== null && (
        <p>
          <strong>Index</strong> {index}
        </p>
      )}
    </section>
  );
}
