import { serveParent } from "../../workers/serve-parent.ts";
import { mostResidentBytes } from "../limits.ts";

// A program must not learn the time zone of this machine.
process.env["TZ"] = "UTC";

serveParent({ retireAbove: mostResidentBytes / 2, endAbove: mostResidentBytes }, async () =>
  (await import("./service.ts")).scriptService(),
);
