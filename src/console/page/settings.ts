import { effect, type Signal, signal } from "@preact/signals";

/** A choice of the user that this browser remembers, the same in all tabs. */
function setting<Value extends string>(name: string, first: Value, others: readonly Value[]): Signal<Value> {
  const stored = () => [first, ...others].find((one) => one === recall(name)) ?? first;
  const value = signal<Value>(stored());
  effect(() => remember(name, value.value));
  addEventListener("storage", () => {
    value.value = stored();
  });
  return value;
}

export const theme = setting<"system" | "light" | "dark">("theme", "system", ["light", "dark"]);
export const diffView = setting<"unified" | "split">("diff", "unified", ["split"]);
export const notifications = setting<"off" | "on">("notifications", "off", ["on"]);

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});

export function nextTheme(): void {
  theme.value = theme.value === "system" ? "light" : theme.value === "light" ? "dark" : "system";
}

// Private windows may refuse the storage.
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`toolcrib.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`toolcrib.${name}`, value);
  } catch {}
}
