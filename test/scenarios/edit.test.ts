import { describe } from "vitest";
import { MemoryEnvironment } from "../../src/environment/memory/memory-environment.ts";
import { testEditScenarios } from "./edit-scenarios.ts";

describe("edit scenarios", () => testEditScenarios((files) => new MemoryEnvironment({ files })));
