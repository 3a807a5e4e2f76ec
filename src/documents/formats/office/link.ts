/** A link in Markdown; only its text where it leads nowhere outside the document. */
export function link(text: string, target: string | undefined): string {
  const label = text.trim();
  if (target === undefined || target === "" || target.startsWith("#") || label === "") return text;
  if (label === target || `mailto:${label}` === target) return text;
  const address = /[\s()<>]/.test(target) ? `<${target.replaceAll(/[\s<>]/g, encodeURIComponent)}>` : target;
  const before = text.slice(0, text.length - text.trimStart().length);
  const after = text.slice(text.trimEnd().length);
  return `${before}[${label.replaceAll(/[[\]]/g, "\\$&")}](${address})${after}`;
}

/** What stands for a picture: its description where it has one. */
export function picture(description: string | undefined): string {
  return `![${(description ?? "").trim().replaceAll(/\s+/g, " ").replaceAll(/[[\]]/g, "\\$&")}]`;
}
