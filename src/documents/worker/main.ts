import { serveParent } from "../../workers/serve-parent.ts";
import { mostMemory } from "../budget.ts";
import type { DocumentAsks } from "./service.ts";

serveParent<DocumentAsks>({ retireAbove: mostMemory / 3, endAbove: mostMemory }, async ({ parent }) =>
  (await import("./service.ts")).documentService(parent),
);
