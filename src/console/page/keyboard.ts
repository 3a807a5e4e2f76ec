import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The keys that the overview lists. */
export const keyGroups: readonly {
  readonly title: string;
  readonly keys: readonly (readonly [string, string])[];
}[] = [
  {
    title: "Everywhere",
    keys: [
      ["?", "Show these keys"],
      ["g n", "Go to Now"],
      ["g t", "Go to Trace"],
      ["g s", "Go to Sessions"],
      ["g f", "Go to Fleets"],
      ["g r", "Go to Rules"],
      ["g h", "Go to Health"],
      ["g q", "Go to the oldest question"],
      ["t", "Switch the theme"],
      ["Esc", "Close the dialog or the details"],
    ],
  },
  {
    title: "Questions",
    keys: [
      ["j / k", "Next or previous question"],
      ["y", "Allow once"],
      ["s", "Allow for the session"],
      ["a", "Always allow: choose how much, then a number"],
      ["n", "Deny, with a message to the model"],
    ],
  },
  {
    title: "Lists",
    keys: [
      ["j / k", "Next or previous row"],
      ["Enter", "Move to the details"],
      ["/", "Search"],
      ["x", "Clear the filters"],
      ["l", "Load the newest calls"],
    ],
  },
  {
    title: "Details",
    keys: [
      ["u", "Undo, with a preview"],
      ["r", "Redo the latest undo"],
      ["v", "Switch between unified and split diff"],
      ["m", "Write a message to the session"],
      ["i", "Interrupt the session"],
      ["c", "Start a session"],
    ],
  },
];

export const isHelpOpen = signal(false);

type KeyMap = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>;
const layers: { current: KeyMap }[] = [];
let prefix = "";
let prefixEnds: ReturnType<typeof setTimeout> | undefined;

let heldUntil = 0;

/** Ignores keys until a dialog or field that opens now has the focus: what the user types next is meant for it. */
export function holdKeys(): void {
  heldUntil = performance.now() + 500;
}

/** Says that the dialog is open, which gets the keys from now on. */
export function releaseKeys(): void {
  heldUntil = 0;
}

/** Handles keys while the component is shown. The latest component goes first. */
export function useKeys(keys: KeyMap): void {
  const layer = useRef(keys);
  layer.current = keys;
  // Not an effect after the next frame: keys must count as soon as what they are for is visible.
  useLayoutEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
  // A dialog has its own buttons, and the browser closes it by Escape.
  if (document.querySelector("dialog[open]") !== null) return;
  if (performance.now() < heldUntil || isPressed(event)) return;
  const key = prefix + event.key;
  clearTimeout(prefixEnds);
  prefix = "";
  const handler = layers.findLast(({ current }) => current[key] !== undefined)?.current[key];
  if (handler !== undefined) {
    event.preventDefault();
    handler(event);
  } else if (event.key === "g") {
    prefix = "g ";
    prefixEnds = setTimeout(() => {
      prefix = "";
    }, 1_500);
  }
});

/** Enter presses the button or link that has the focus, except the selected row of a list, which is open already. */
function isPressed({ key, target }: KeyboardEvent): boolean {
  return (
    key === "Enter" &&
    target instanceof Element &&
    target.matches("button, summary, a[href]:not([aria-current=true])")
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select")
  );
}
