import type { EventListener } from "../../../toolcrib.ts";
import { showProgress } from "../progress.ts";

/** Shows a person who waits what is being looked at. */
export function tellProgress(): { tell(message: string): void; stop(): void } {
  const listeners = new Set<EventListener>();
  const events = {
    on: (listener: EventListener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const { stop } = showProgress({ events }, "doctor", { live: false });
  const tell = (message: string) => {
    for (const listener of listeners)
      listener({ type: "progress", message, callId: "", tool: "doctor", at: Date.now() });
  };
  return { tell, stop };
}
