/** The program of the workers that read documents. */
import { serveStarter } from "../../workers/serve-starter.ts";
import { mostMemory } from "../budget.ts";
import type { DocumentAsks } from "./service.ts";

serveStarter<DocumentAsks>({ retireAbove: mostMemory / 3, endAbove: mostMemory }, async ({ starter }) =>
  (await import("./service.ts")).documentService(starter),
);
