import { useRef, useState } from "preact/hooks";
import type {
  AddRulesRequest,
  ExplainRequest,
  Explanation,
  GrantItem,
  RevokeRequest,
  RulesReport,
  TryRulesRequest,
  TryRulesResult,
} from "../api.ts";
import { formatCount, printableLine } from "./format.ts";
import { useKeys } from "./keyboard.ts";
import { ActionButton, Empty, Failure, Icon, Loading, RuleText, Time, useLoad, Verdict } from "./parts.tsx";
import { get, post } from "./request.ts";
import { href, navigate } from "./router.ts";
import { overview, toast, toastError } from "./store.ts";
import { useWorkspace, WorkspaceSelect } from "./workspace-select.tsx";

export function RulesPage() {
  const workspace = useWorkspace();
  const { value, error, reload } = useLoad(workspace, (signal) =>
    get<RulesReport>("/api/rules", { workspace }, signal),
  );
  if (workspace === null)
    return overview.value === null ? <Loading what="rules" /> : <Empty title="No workspaces yet" />;
  return (
    <div class="page rules">
      <div class="filters">
        <WorkspaceSelect value={workspace} set={(next) => navigate(href("rules", { workspace: next }))} />
        {value !== null && (
          <span class="muted">
            Mode: <strong>{value.mode}</strong>
          </span>
        )}
      </div>
      {error !== null && <Failure error={error} retry={reload} />}
      {value === null && error === null && <Loading what="rules" />}
      {value !== null && (
        <div class="panels" key={workspace}>
          <Explain workspace={workspace} />
          <TryRules workspace={workspace} reload={reload} />
          <Grants workspace={workspace} grants={value.grants} reload={reload} />
          <Sources sources={value.sources} />
        </div>
      )}
    </div>
  );
}

function Explain({ workspace }: { workspace: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [result, setResult] = useState<Explanation | null>(null);
  useKeys({ "/": () => field.current?.focus() });
  const explain = async () => {
    const call = field.current?.value.trim() ?? "";
    if (call === "") return;
    await post<Explanation, ExplainRequest>("/api/rules/explain", { workspace, call }).then(
      setResult,
      toastError,
    );
  };
  return (
    <section class="panel" aria-label="Explain a call">
      <h2>Explain a call</h2>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          void explain();
        }}
      >
        <input ref={field} class="grow code" aria-label="Call to explain" placeholder="run npm test" />
        <button type="submit">Explain</button>
      </form>
      {result !== null && (
        <div role="status">
          <p>
            <Verdict verdict={result.verdict} /> <span class="tag">{result.risk}</span> {result.reason}
          </p>
          <p>
            <RuleText rule={result.rule} source={result.source} />
          </p>
          {result.parts.length > 0 && (
            <ul class="parts">
              {result.parts.map(({ verdict, kind, what, reason }, index) => (
                <li key={index}>
                  <Verdict verdict={verdict} /> <span class="tag">{kind}</span>{" "}
                  <code>{printableLine(what)}</code> {reason}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
}

function TryRules({ workspace, reload }: { workspace: string; reload: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [tried, setTried] = useState<{ rules: readonly string[]; result: TryRulesResult } | null>(null);
  const read = () =>
    (field.current?.value ?? "")
      .split("\n")
      .map((rule) => rule.trim())
      .filter(Boolean);
  const tryThem = async () => {
    const rules = read();
    if (rules.length === 0) return;
    const request = { workspace, rules };
    const show = (result: TryRulesResult) => setTried({ rules, result });
    await post<TryRulesResult, TryRulesRequest>("/api/rules/try", request).then(show, toastError);
  };
  const add = async () => {
    if (tried === null) return;
    try {
      await post<object, AddRulesRequest>("/api/rules/add", { workspace, rules: tried.rules });
      toast(`Added ${formatCount(tried.rules.length, "rule")}.`);
      setTried(null);
      if (field.current) field.current.value = "";
      reload();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section class="panel" aria-label="Try rules">
      <h2>Try rules</h2>
      <p class="muted">
        Replays the recorded calls with these rules, and changes nothing. Add them when you like the result.
      </p>
      <textarea
        ref={field}
        class="code"
        rows={3}
        aria-label="Rules, one per line"
        placeholder={"allow run npm test\nask connect *.example.com"}
        onInput={() => setTried(null)}
      />
      <div class="line">
        <ActionButton run={tryThem}>Try</ActionButton>
        <ActionButton class="primary" disabled={tried === null} run={add}>
          Add
        </ActionButton>
      </div>
      <div role="status">{tried !== null && <Tried workspace={workspace} result={tried.result} />}</div>
    </section>
  );
}

function Tried({ workspace, result }: { workspace: string; result: TryRulesResult }) {
  const count = formatCount(result.calls, "recorded call");
  if (result.changed.length === 0) return <p>Nothing would change for {count}.</p>;
  return (
    <>
      <p>
        {formatCount(result.changed.length, "verdict")} of {count} would change:
      </p>
      <ul class="rows">
        {result.changed.map((call) => (
          <li key={call.callId}>
            <a class="row tried-row" href={href("trace", { workspace, id: call.callId })}>
              <span class="tried-verdicts">
                <Verdict verdict={call.before} />
                <Icon name="next" />
                <Verdict verdict={call.after} />
              </span>
              <span class="tool">{call.tool}</span>
              <span class="title">{printableLine(call.title)}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

interface GrantsProps {
  readonly workspace: string;
  readonly grants: readonly GrantItem[];
  readonly reload: () => void;
}

function Grants({ workspace, grants, reload }: GrantsProps) {
  const revoke = async ({ line, rules }: GrantItem) => {
    try {
      await post<object, RevokeRequest>("/api/rules/revoke", { workspace, grants: [{ line, rules }] });
      toast(`Revoked ${formatCount(rules.length, "rule")}.`);
      reload();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section class="panel" aria-label="Grants">
      <h2>Grants</h2>
      <p class="muted">Rules that your answers “always” added.</p>
      {grants.length === 0 && <p>No grants.</p>}
      <ul class="grants">
        {grants.map((grant) => (
          <li key={grant.line}>
            <div class="grow">
              {grant.rules.map((rule) => (
                <code key={rule}>{rule}</code>
              ))}
              <span class="muted">
                {grant.askedBy !== null && `asked by ${printableLine(grant.askedBy)} `}
                {grant.grantedAt !== null && <Time at={grant.grantedAt} />}
              </span>
            </div>
            <ActionButton aria-label={`Revoke ${grant.rules.join(", ")}`} run={() => revoke(grant)}>
              Revoke
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Sources({ sources }: { sources: RulesReport["sources"] }) {
  return (
    <section class="panel" aria-label="Rules that hold">
      <h2>Rules that hold</h2>
      <p class="muted">A denial always holds. Otherwise the last source with a matching rule decides.</p>
      {sources.map(({ level, name, rules }) => (
        <details key={level + name} open={rules.length <= 12} class="source">
          <summary>
            <strong>{level}</strong> <span class="path">{printableLine(name)}</span>{" "}
            <span class="muted">{formatCount(rules.length, "rule")}</span>
          </summary>
          <ol class="rule-lines">
            {rules.map(({ line, text, ignored }) => (
              <li key={line} class={ignored === null ? "" : "ignored"}>
                <span class="number">{line}</span>
                <code>{printableLine(text)}</code>
                {ignored !== null && (
                  <span class="muted">
                    <Icon name="warning" /> ignored: {ignored}
                  </span>
                )}
              </li>
            ))}
          </ol>
        </details>
      ))}
    </section>
  );
}
