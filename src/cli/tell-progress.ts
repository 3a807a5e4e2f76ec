import type { EventListener } from "../toolcrib/index.ts";
import { showProgress } from "./progress.ts";

/** Shows a person who waits how far a command is that is no call. */
export function tellProgress(command: string): { tell(message: string): void; stop(): void } {
  const listeners = new Set<EventListener>();
  const events = {
    on: (listener: EventListener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const { stop } = showProgress({ events }, command, { live: false });
  const tell = (message: string) => {
    for (const listener of listeners)
      listener({ type: "progress", message, callId: "", tool: command, at: Date.now() });
  };
  return { tell, stop };
}
