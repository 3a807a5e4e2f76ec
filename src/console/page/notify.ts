import { effect } from "@preact/signals";
import type { PendingQuestion } from "../api.ts";
import { formatClient, printableLine } from "./format.ts";
import { href, route } from "./router.ts";
import { notifications } from "./settings.ts";
import { keyOfQuestion, questions, toast } from "./store.ts";
import { followsForAll, isShownSomewhere } from "./stream.ts";

export const canNotify = "Notification" in globalThis;

/** Asks the browser for permission; the choice is kept. */
export async function switchNotifications(): Promise<void> {
  if (notifications.value === "on") {
    notifications.value = "off";
    return;
  }
  const permission = await Notification.requestPermission();
  notifications.value = permission === "granted" ? "on" : "off";
  if (permission !== "granted")
    toast("The browser does not allow notifications. Change it in the settings of this site.", {
      kind: "error",
    });
}

/** Counts the questions in the title of the page, and shows new ones by the system while the page is hidden. */
export function announceQuestions(): void {
  const known = new Set<string>();
  effect(() => {
    const waiting = questions.value;
    const { page } = route.value;
    const count = waiting.length > 0 ? `(${waiting.length}) ` : "";
    document.title = `${count}${page[0]!.toUpperCase()}${page.slice(1)} · Toolcrib`;
    for (const question of waiting) {
      if (known.has(keyOfQuestion(question))) continue;
      known.add(keyOfQuestion(question));
      if (canNotify && notifications.peek() === "on" && followsForAll()) void notify(question);
    }
  });
}

async function notify(question: PendingQuestion): Promise<void> {
  if (Notification.permission !== "granted" || (await isShownSomewhere())) return;
  const title = `${formatClient(question.client)} asks: ${question.tool}`;
  const body = printableLine(question.title).slice(0, 200);
  try {
    const notification = new Notification(title, { body, tag: question.id });
    notification.onclick = () => {
      window.focus();
      location.hash = href("now", { workspace: question.workspace, id: question.id });
    };
  } catch {
    // Browsers of phones have the class, but allow it only to service workers.
  }
}
