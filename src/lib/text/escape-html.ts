import { printable } from "./printable.ts";

/** Makes a text safe for the content and the attributes of HTML, and shows invisible characters. */
export function escapeHtml(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => entities[character]!);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
