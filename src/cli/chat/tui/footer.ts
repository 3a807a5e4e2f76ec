import { type Component, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { Session } from "../../../agent/session.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { printableLine } from "../../../lib/text/printable.ts";
import { formatCost, formatTime } from "../../session/call-lines.ts";
import { tones } from "./theme.ts";

/** The lines above the input area: the running calls, the plan and the waiting messages. */
export class ActivityPanel implements Component {
  readonly #running = new Map<string, Running>();
  readonly #waiting: string[] = [];
  #plan: readonly PlanStep[] = [];

  begin(id: string, what: string): void {
    this.#running.set(id, { what, startedAt: monotonicMs(), message: "" });
  }

  note(id: string, message: string): void {
    const running = this.#running.get(id);
    if (running) running.message = printableLine(message);
  }

  end(id: string): void {
    this.#running.delete(id);
  }

  /** Removes the running calls and the waiting messages. */
  clear(): void {
    this.#running.clear();
    this.#waiting.length = 0;
  }

  /** Whether a question is open, for which the model and its calls wait. */
  isAsking = false;

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Shows a message until the model gets it. */
  wait(message: string): void {
    this.#waiting.push(message);
  }

  arrived(): void {
    this.#waiting.shift();
  }

  /** Takes the plan of a `plan.update`. */
  setPlan(data: unknown): void {
    const steps = isRecord(data) && Array.isArray(data.steps) ? data.steps.filter(isRecord) : [];
    this.#plan = steps.map(({ step, status }) => ({
      step: printableLine(String(step).replace(/\s+/g, " ")),
      status: String(status),
    }));
  }

  /** Returns the checklist and forgets it. */
  takePlan(): readonly string[] {
    const lines = planLines(this.#plan);
    this.#plan = [];
    return lines;
  }

  render(width: number): string[] {
    const lines = [
      ...shortPlan(this.#plan),
      ...this.#waiting.map((message) => tones.dim(`  next: ${printableLine(message)}`)),
      ...this.#activity(width),
    ].map((line) => truncateToWidth(line, width, "…"));
    return lines.length === 0 ? [] : ["", ...lines];
  }

  invalidate(): void {}

  /** A long name is shortened, so that the time and the key stay visible. */
  #activity(width: number): string[] {
    const [oldest] = this.#running.values();
    if (oldest === undefined || this.isAsking) return [];
    const elapsed = monotonicMs() - oldest.startedAt;
    const frame = frames[Math.floor(elapsed / frameMs) % frames.length]!;
    const time = elapsed < 1_000 ? "" : ` ${wholeSeconds(elapsed)}`;
    const others = this.#running.size > 1 ? ` (and ${this.#running.size - 1} more)` : "";
    const long = oldest.message === "" ? "" : ` ${oldest.message}`;
    const [head, tail] = [`${time}${others}`, " · Esc interrupts"];
    const message = width - visibleWidth(head + long + tail) - 2 < minNameWidth ? "" : long;
    const left = Math.max(minNameWidth, width - visibleWidth(head + message + tail) - 2);
    const what = truncateToWidth(oldest.what, left, "…");
    return [`${tones.cyan(frame)} ${what}${tones.dim(`${head}${message}${tail}`)}`];
  }
}

interface Running {
  readonly what: string;
  readonly startedAt: number;
  message: string;
}

interface PlanStep {
  readonly step: string;
  readonly status: string;
}

function planLines(plan: readonly PlanStep[]): string[] {
  return plan.map(({ step, status }) => {
    if (status === "completed") return `  ${tones.green("✓")} ${tones.dim(step)}`;
    if (status === "in_progress") return `  ${tones.cyan("▸")} ${tones.bold(step)}`;
    if (status === "cancelled") return `  ${tones.dim(`− ${step}`)}`;
    return status === "blocked" ? `  ${tones.red("!")} ${step}` : `  ${tones.dim("○")} ${step}`;
  });
}

/** The part of a long plan around the step in progress. */
function shortPlan(plan: readonly PlanStep[]): string[] {
  const lines = planLines(plan);
  if (lines.length <= maxPlanLines) return lines;
  const current = plan.findIndex(({ status }) => status === "in_progress");
  const start = Math.max(0, Math.min(current - 2, lines.length - maxPlanLines));
  const done = plan.filter(({ status }) => status === "completed").length;
  return [tones.dim(`  Plan: ${done} of ${lines.length} done`), ...lines.slice(start, start + maxPlanLines)];
}

const minNameWidth = 20;
const maxPlanLines = 8;
const frames = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const frameMs = 250;

function wholeSeconds(milliseconds: number): string {
  return milliseconds < 10_000 ? `${Math.floor(milliseconds / 1000)} s` : formatTime(milliseconds);
}

/** Model, mode, context used, cost and the time of the turn: below the input area. */
export class StatusLine implements Component {
  session: Session | undefined;
  /** When the running turn began. */
  turnStart: number | undefined;
  /** A remark in place of the status, like how to leave. */
  remark = "";

  render(width: number): string[] {
    const text = this.remark === "" ? this.#status(width) : this.remark;
    return [tones.dim(truncateToWidth(text, width, "…"))];
  }

  invalidate(): void {}

  #status(width: number): string {
    const { session } = this;
    if (session === undefined) return "opening the session …";
    const { tokens, window } = session.context;
    const used = window === null ? `${tokens} tokens` : `${Math.round((100 * tokens) / window)}% context`;
    const time = this.turnStart === undefined ? [] : [wholeSeconds(monotonicMs() - this.turnStart)];
    const parts = [
      printableLine(session.model.id),
      session.isPlanning ? `${session.toolcrib.mode}, plan mode` : session.toolcrib.mode,
      used,
      ...(session.cost === null ? [] : [formatCost(session.cost)]),
      ...time,
    ];
    const status = parts.join(" · ");
    const help = "/help";
    const gap = width - visibleWidth(status) - help.length;
    return gap > 2 ? `${status}${" ".repeat(gap)}${help}` : status;
  }
}
