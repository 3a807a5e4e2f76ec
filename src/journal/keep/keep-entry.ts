import type { Environment } from "../../contract/environment.ts";
import type { EntryState } from "../../contract/history.ts";
import { isStale } from "../../system/file-errors.ts";
import type { BeforeImages } from "./before-images.ts";
import { fileState } from "./call-changes.ts";
import type { FoundEntry } from "./list-entries.ts";

/** What an entry is, its content kept; no state when there are no words for it. */
export async function keepEntry(
  environment: Environment,
  { realPath, info }: FoundEntry,
  images: BeforeImages,
  signal: AbortSignal | undefined,
): Promise<{ readonly state: EntryState | undefined; readonly lost?: string | undefined }> {
  if (info === undefined) {
    images.lose(realPath, "its name is no valid UTF-8");
    return { state: undefined };
  }
  switch (info.kind) {
    case "directory":
      return { state: { kind: "directory", mode: info.mode } };
    case "link":
      return { state: await environment.state(realPath) };
    case "other":
      images.lose(realPath, "it is a FIFO, device or socket");
      return { state: undefined };
    case "file": {
      const kept = await images.keep(realPath, signal);
      if (kept === undefined) throw isStale(realPath, "gone");
      return { state: fileState(info, kept.hash), lost: kept.lost };
    }
  }
}
