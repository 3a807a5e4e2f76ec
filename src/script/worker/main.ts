import { serveParent } from "../../workers/serve-parent.ts";
import { mostResidentBytes } from "../limits.ts";
import type { ScriptAsks } from "./protocol.ts";

// A program must not learn the time zone of this machine.
process.env["TZ"] = "UTC";

serveParent<ScriptAsks>(
  { retireAbove: mostResidentBytes / 2, endAbove: mostResidentBytes },
  async ({ parent }) => (await import("./service.ts")).scriptService(parent),
);
