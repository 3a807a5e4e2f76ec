import { describe } from "vitest";
import { longPages, testSessions } from "./support/documented-sessions.ts";

describe("every console session matches the real output", () => {
  testSessions((document) => !longPages.includes(document));
});
