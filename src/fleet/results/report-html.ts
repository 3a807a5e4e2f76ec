import { escapeHtml as safe } from "../../lib/text/escape-html.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { type Fleet, type Run, runOutcomes } from "../fleet.ts";
import type { Comparison } from "./compare-runs.ts";
import { describeComparison, formatDollars, formatDuration, formatRate } from "./format-results.ts";
import { type RunSummary, summariseByModel, summariseRuns } from "./summarise-runs.ts";

/** Returns the report of a fleet as one file that loads nothing and has no scripts, for wide and narrow screens. */
export function reportHtml(
  fleet: Fleet,
  runs: readonly Run[],
  comparisons: readonly Comparison[] = [],
): string {
  const whole = summariseRuns(runs);
  const models = summariseByModel(runs);
  const facts = [
    ["Runs", `${whole.states.ended} of ${whole.runs} ended`],
    ["Solved", formatRate(whole.solved)],
    [
      "Spent",
      `${formatDollars(fleet.spent)}${fleet.settings.budget === null ? "" : ` of ${formatDollars(fleet.settings.budget)}`}`,
    ],
    ["Submitted", new Date(fleet.createdAt).toISOString().slice(0, 16).replace("T", " ")],
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Fleet ${safe(fleet.name)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Fleet ${safe(fleet.name)}</h1>
<dl class="facts">
${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${safe(value!)}</dd></div>`).join("\n")}
</dl>
</header>
<main>
<section aria-labelledby="outcomes"><h2 id="outcomes">Outcomes</h2>
${legend()}
${models.map(outcomeBar).join("\n")}
</section>
${chart("Median cost of a run", models, ({ medianCost }) => medianCost, formatDollars)}
${chart(
  "Median time of a run",
  models,
  ({ medianMinutes }) => medianMinutes,
  (minutes) => formatDuration(minutes * 60_000),
)}
<section aria-labelledby="models"><h2 id="models">Models</h2>
<div class="wide"><table>
<thead><tr><th>Model</th><th>Runs</th><th>Solved (95 % interval)</th><th>Cost</th><th>Median cost</th><th>Median time</th><th>Tokens</th></tr></thead>
<tbody>
${models.map(modelRow).join("\n")}
</tbody></table></div>
<p class="note">The rate counts solved and unsolved runs only. Infrastructure, budget and cancelled runs say nothing about a model.</p>
</section>
${comparisons.map(comparisonSection).join("\n")}
<section aria-labelledby="runs"><h2 id="runs">Runs</h2>
${runs.slice(0, maxRows).map(runDetails).join("\n")}
${runs.length > maxRows ? `<p class="note">${counted(runs.length - maxRows, "more run")}: use --json.</p>` : ""}
</section>
</main>
</body>
</html>
`;
}

const maxRows = 5000;

function legend(): string {
  const names = [...runOutcomes, "open"];
  return `<p class="legend">${names.map((name) => `<span><i class="${name}"></i>${name}</span>`).join(" ")}</p>`;
}

/** A bar of all runs of a model. The numbers are in its label, so that colours are not needed to read it. */
function outcomeBar({ model, runs, states, outcomes }: RunSummary): string {
  const parts = [
    ...runOutcomes.map((name) => [name, outcomes[name]] as const),
    ["open", runs - states.ended] as const,
  ].filter(([, count]) => count > 0);
  let start = 0;
  const boxes = parts.map(([name, count]) => {
    const x = start;
    start += (count / runs) * 100;
    return `<rect class="${name}" x="${x.toFixed(3)}" y="0" width="${((count / runs) * 100).toFixed(3)}" height="10"/>`;
  });
  const label = parts.map(([name, count]) => `${count} ${name}`).join(", ");
  return `<figure><figcaption><b>${safe(model ?? "")}</b> ${label}</figcaption>
<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${safe(`${model}: ${label}`)}">${boxes.join("")}</svg></figure>`;
}

function chart(
  title: string,
  models: readonly RunSummary[],
  value: (summary: RunSummary) => number | null,
  format: (value: number) => string,
): string {
  const known = models.flatMap((summary) => {
    const found = value(summary);
    return found === null ? [] : [{ model: summary.model ?? "", value: found }];
  });
  const most = Math.max(0, ...known.map((each) => each.value));
  if (most === 0) return "";
  const bars = known.map(
    (each) => `<figure><figcaption><b>${safe(each.model)}</b> ${format(each.value)}</figcaption>
<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${safe(`${each.model}: ${format(each.value)}`)}"><rect class="bar" x="0" y="0" width="${((each.value / most) * 100).toFixed(3)}" height="10"/></svg></figure>`,
  );
  return `<section><h2>${title}</h2>\n${bars.join("\n")}\n</section>`;
}

function modelRow({ model, runs, solved, cost, tokens, medianCost, medianMinutes }: RunSummary): string {
  const minutes = medianMinutes === null ? null : medianMinutes * 60_000;
  const cells = [
    ...[runs, formatRate(solved), formatDollars(cost), formatDollars(medianCost)],
    ...[formatDuration(minutes), tokens.toLocaleString("en")],
  ];
  return `<tr><th>${safe(model ?? "")}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function comparisonSection(comparison: Comparison): string {
  const title = `${comparison.first.name} and ${comparison.second.name}`;
  const sentences = describeComparison(comparison).map((sentence) => `<li>${safe(sentence)}</li>`);
  return `<section><h2>Comparison: ${safe(title)}</h2>\n<ul>\n${sentences.join("\n")}\n</ul></section>`;
}

function runDetails({ id, spec, state, outcome, reason, result }: Run): string {
  const status = outcome ?? state;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ["Run", id],
    ["Model", spec.model],
    ["Reason", reason],
    ["Cost", result && formatDollars(result.cost)],
    ["Time", result && formatDuration(result.workMs)],
    ["Work", result && `${counted(result.rounds, "round")}, ${counted(result.calls, "call")}`],
    [
      "Patch",
      result?.patch &&
        `${counted(result.patch.files, "file")}, +${result.patch.added} −${result.patch.removed}`,
    ],
    ["Artifacts", result?.artifacts],
  ];
  const shown = facts.flatMap(([name, value]) =>
    value ? [`<div><dt>${name}</dt><dd>${safe(value)}</dd></div>`] : [],
  );
  const check = result?.check?.output
    ? `<h3>Check</h3><pre>\n${safe(result.check.output.slice(-maxOutput))}</pre>`
    : "";
  const answer = result?.text ? `<h3>Answer</h3><pre>\n${safe(result.text.slice(0, maxOutput))}</pre>` : "";
  return `<details><summary><i class="${outcome ?? "open"}"></i> ${safe(spec.task)} <em>${status}</em></summary>
<dl>${shown.join("")}</dl>${check}${answer}
</details>`;
}

const maxOutput = 4000;

/** Texts have a contrast of at least 4.5 : 1 in both colour schemes. The colours of outcomes are told apart by colour-blind readers. */
const style = `
:root { color-scheme: light dark; --text: #1b1b1b; --page: #ffffff; --soft: #f3f4f6; --line: #c6cad1; --dim: #555b66; --bar: #3b6fb6; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --page: #16181c; --soft: #202329; --line: #434956; --dim: #a6adba; --bar: #7aa7e0; }
}
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; border-bottom: 1px solid var(--line); margin-top: 2rem; }
h3 { font-size: 0.9rem; margin: 0.4rem 0 0; }
.facts { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; }
dl { margin: 0.5rem 0; }
dt, em, .note, figcaption { color: var(--dim); font-style: normal; font-size: 0.85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
details dl div { display: flex; gap: 0.5rem; }
details dt { min-width: 5rem; }
figure { margin: 0.6rem 0; }
figcaption { overflow-wrap: anywhere; }
figcaption b { color: var(--text); }
svg { display: block; width: 100%; height: 1.2rem; background: var(--soft); }
.solved { fill: #117733; background: #117733; }
.unsolved { fill: #ddcc77; background: #ddcc77; }
.infrastructure { fill: #cc6677; background: #cc6677; }
.budget { fill: #88ccee; background: #88ccee; }
.cancelled { fill: #999999; background: #999999; }
.open { fill: var(--line); background: var(--line); }
.bar { fill: var(--bar); }
i { display: inline-block; width: 0.8rem; height: 0.8rem; margin-right: 0.3rem; vertical-align: -0.05rem; }
.legend span { margin-right: 0.8rem; white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; }
th, td { text-align: right; padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child { text-align: left; }
details { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0.4rem 0; padding: 0.3rem 0.8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary:focus-visible { outline: 2px solid currentColor; }
pre { background: var(--soft); margin: 0.3rem 0; padding: 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.85rem; }
`;
