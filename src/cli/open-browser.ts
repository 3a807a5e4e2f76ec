import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openOnDesktop } from "../environment/local/processes/open-on-desktop.ts";
import { escapeHtml } from "../lib/text/escape-html.ts";
import { makePrivateDirectory } from "../system/directories.ts";
import { remark } from "./terminal.ts";

/**
 * Opens the browser at a private file that leads to the address, because every user of this machine can read the
 * arguments of a process. Returns the file.
 */
export function openBrowser(address: string, folder: string): string {
  makePrivateDirectory(folder);
  const file = join(folder, `open-${process.pid}.html`);
  removeLink(file);
  const page = `<!doctype html><meta http-equiv="refresh" content="0; url=${escapeHtml(address)}"><title>Toolcrib</title>\n`;
  writeFileSync(file, page, { mode: 0o600, flag: "wx" });
  void openOnDesktop(file).then((isOpened) => {
    if (!isOpened) remark("No browser could be started: open the address yourself.\n");
  });
  return file;
}

export function removeLink(file: string | undefined): void {
  if (file !== undefined) rmSync(file, { force: true });
}
