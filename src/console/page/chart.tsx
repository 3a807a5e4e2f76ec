import type { UsagePoint } from "../api.ts";
import { formatCost } from "./format.ts";
import { Time } from "./parts.tsx";

const width = 320;
const height = 72;

/** Cost so far as a line, and the tokens of each request as bars. Tokens alone when the cost is unknown. */
export function UsageChart({ points }: { points: readonly UsagePoint[] }) {
  const shown = points.slice(-400);
  const step = width / shown.length;
  const mostTokens = Math.max(1, ...shown.map(tokensOf));
  const mostCost = Math.max(1e-9, ...shown.map(({ cost }) => cost ?? 0));
  const cost = points.at(-1)?.cost ?? null;
  const tokens = points.reduce((sum, point) => sum + tokensOf(point), 0);
  const line = shown.map(({ cost: value }, index) => {
    const x = (index + 0.5) * step;
    return `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${(height - 4 - ((value ?? 0) / mostCost) * (height - 12)).toFixed(1)}`;
  });
  const text = [
    cost !== null && formatCost(cost),
    `${shortCount(tokens)} tokens`,
    `${points.length} requests`,
  ]
    .filter(Boolean)
    .join(" · ");
  return (
    <section class="panel" aria-label="Usage">
      <h3>
        Usage <span class="muted">{text}</span>
      </h3>
      <svg
        class="chart"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Usage: ${text}`}
      >
        {shown.map((point, index) => {
          const bar = (tokensOf(point) / mostTokens) * (height - 8);
          return (
            <rect
              key={index}
              x={index * step + step * 0.15}
              y={height - bar}
              width={Math.max(0.5, step * 0.7)}
              height={bar}
            />
          );
        })}
        {cost !== null && <path d={line.join("")} vector-effect="non-scaling-stroke" />}
      </svg>
      <p class="chart-axis muted">
        <span>
          <Time at={shown[0]!.at} />
        </span>
        <span>tokens{cost !== null && " and cost"}</span>
        <span>
          <Time at={shown.at(-1)!.at} />
        </span>
      </p>
    </section>
  );
}

function tokensOf({ inputTokens, outputTokens }: UsagePoint): number {
  return inputTokens + outputTokens;
}

function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} k` : `${(count / 1_000_000).toFixed(1)} M`;
}
