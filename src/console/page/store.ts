import { computed, signal } from "@preact/signals";
import type { Overview, PendingQuestion } from "../api.ts";
import { isTarget, workspaceName } from "./format.ts";
import { RequestError } from "./request.ts";

/** Null until the first event arrives. */
export const overview = signal<Overview | null>(null);

export type Connection = "connecting" | "open" | "lost" | "signed-out";
export const connection = signal<Connection>("connecting");

/** Grows whenever the event stream opens; what was loaded before may be out of date. */
export const streams = signal(0);

/** Questions that this page has answered; the server needs a moment to leave them out. */
export const answered = signal<ReadonlySet<string>>(new Set());

export const questions = computed<readonly PendingQuestion[]>(
  () =>
    overview.value?.approvals.filter(
      (question) => !question.isAnswered && !answered.value.has(keyOfQuestion(question)),
    ) ?? [],
);

/** The questions that the user has picked to answer together. */
export const picked = signal<ReadonlySet<string>>(new Set());

/** Differs when the same call asks again later: its id is the same then. */
export function keyOfQuestion({ workspace, id, askedAt }: PendingQuestion): string {
  return `${workspace} ${id} ${askedAt}`;
}

/** The messages that appear for a moment, with an optional button. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: "info" | "error";
  readonly action?: { readonly label: string; readonly run: () => void };
}
export const toasts = signal<readonly Toast[]>([]);
let lastToast = 0;

export function toast(text: string, options: Partial<Pick<Toast, "kind" | "action">> = {}): void {
  const id = ++lastToast;
  toasts.value = [...toasts.value.slice(-3), { id, text, kind: "info", ...options }];
  setTimeout(() => dismiss(id), options.action || options.kind === "error" ? 12_000 : 5_000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
}

export function toastError(error: unknown): void {
  const hint = error instanceof RequestError && error.hint !== null ? ` ${error.hint}` : "";
  toast(`${error instanceof Error ? error.message : String(error)}${hint}`, { kind: "error" });
}

/** The name of a workspace that is on a target; null for a folder of the console's machine. */
export function targetOf(workspace: string): string | null {
  const found = overview.value?.workspaces.find(({ id }) => id === workspace);
  return found !== undefined && isTarget(found) ? workspaceName(found) : null;
}
